# Everything a newcomer needs: each target sets up what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FOR_REPRODUCE := $(VENV)/.for-reproduce
INSTALL = PYTHON="$(PYTHON)" tools/make-venv $(VENV) --constraint constraints.txt --build-constraint constraints.txt

.NOTPARALLEL: # two targets would install into one environment at once
.PHONY: setup reproduce study browser compiler test test-versions lint docs site-test dist bench soak flaky screenshots clean
setup: $(READY)

$(READY): constraints.txt pyproject.toml tools/make-venv
	$(INSTALL) --editable '.[client,cluster,examples,frames,plots,postgres,tables,web]' \
		--group test --group lint --group docs --group bench
	touch $@

$(FOR_REPRODUCE): constraints.txt pyproject.toml tools/make-venv
	$(INSTALL) --editable '.[plots]'
	touch $@

reproduce: $(FOR_REPRODUCE)
	$(BIN)/allotment reproduce

study: $(READY)
	$(BIN)/python -m studies.$(NAME)

# Debian's Chromium, and a library that the program needs with which tests drive it.
browser:
	tools/need-debian /usr/bin/chromium chromium fonts-liberation
	tools/need-debian '/usr/lib/*/libatomic.so.1' libatomic1

# For a library that records what goes to disk.
compiler:
	tools/need-debian gcc gcc libc6-dev

# Each process takes neighbouring tests as long as it can, since these compile the same.
test: $(READY) browser compiler
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not soak"

test-versions:
	PYTHON="$(PYTHON)" tools/test-versions

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.prose

# The site, in build/site. Examples of the gallery run; a warning is an error.
docs: $(READY)
	$(BIN)/sphinx-build --jobs 2 --fail-on-warning --keep-going --doctree-dir build/site-trees docs build/site

# Every page of the site in a browser: errors, requests to other hosts, phone width, accessibility.
site-test: docs browser
	$(BIN)/python -m pytest -n 2 docs/test_site.py

# The wheel and the sdist, in dist/. README runs with each in an environment of its own.
dist: $(READY)
	$(INSTALL) --group dist
	tools/make-dist

bench: $(READY)
	$(BIN)/python benchmarks/performance
	$(BIN)/python -m pytest benchmarks -o addopts=--import-mode=importlib --benchmark-only --benchmark-columns=median,min,max,rounds -s

soak: $(READY) browser compiler
	tools/need-debian nginx nginx-light
	$(BIN)/python -m pytest -n 2 -m soak

# The tests six times: in other orders, under load, at other dates, in another country, for another user.
flaky: $(READY) browser compiler
	tools/need-debian faketime faketime
	tools/need-debian /usr/share/i18n/locales/de_DE locales
	$(BIN)/python -m tools.flaky

# Every page, wide and narrow, with 3, 24 and 300 places, in build/screenshots.
screenshots: $(READY) browser
	PYTHONPATH=tests $(BIN)/python -m web_screenshots

clean:
	rm -rf .venv* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
