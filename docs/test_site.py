"""Every page of the built site in a browser; `make site-test` builds the site and runs this."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from web_serving import WIDE, Watch, chromium, flaws

SITE = Path(__file__).parent.parent / "build" / "site"
PAGES = sorted(str(page.relative_to(SITE)) for page in SITE.rglob("*.html") if "_static" not in page.parts)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Say nothing: the browser reports what fails."""


@pytest.fixture(scope="module")
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def context(browser):
    width, height = WIDE
    made = browser.new_context(
        viewport={"width": width, "height": height},
        reduced_motion="reduce",  # colours that fade from light to dark have no contrast half-way
    )
    yield made
    made.close()


def test_the_site_is_built():
    assert "index.html" in PAGES, "run make docs first"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_alone_fits_a_phone_and_is_accessible(name, address, context):
    watch = Watch(address)
    watch.over(context)
    page = context.new_page()
    page.goto(f"{address}/{name}", wait_until="load")
    assert watch.wrong == []  # before axe, which asks for stylesheets at wrong addresses
    assert flaws(page) == []


def test_the_search_finds_a_page(address, context):
    page = context.new_page()
    page.goto(f"{address}/search.html?q=frontier")
    page.get_by_role("link", name="Glossary").first.wait_for()
