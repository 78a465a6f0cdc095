# Everything a newcomer needs: each target sets up what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup reproduce study test lint bench soak clean
setup: $(READY)

$(READY): requirements.txt pyproject.toml
	PYTHON="$(PYTHON)" tools/make-venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

reproduce: $(READY)
	$(BIN)/allotment reproduce

study: $(READY)
	$(BIN)/python -m studies.$(NAME)

test: $(READY)
	$(BIN)/python -m pytest -n 2 -m "not soak"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python benchmarks/performance
	$(BIN)/python -m pytest benchmarks -o addopts=--import-mode=importlib --benchmark-only --benchmark-columns=median,min,max,rounds -s

soak: $(READY)
	$(BIN)/python -m pytest -n 2 -m soak

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
