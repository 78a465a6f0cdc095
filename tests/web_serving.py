"""Servers and browsers for the tests of pages, and for `make screenshots`."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from running import PATIENCE_SECONDS

CHROMIUM = Path("/usr/bin/chromium")
MISSING = "the tests in a browser need /usr/bin/chromium; `make test` installs it, if root runs it"
WIDE, NARROW = (1280, 900), (360, 740)
SERIOUS = ("serious", "critical")
PATIENCE = 1000 * PATIENCE_SECONDS  # milliseconds
FITS = "(width) => innerWidth === width && document.documentElement.scrollWidth <= width"
expect.set_options(timeout=PATIENCE)


@dataclass
class Served:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    store: Path | str
    address: str
    sign_in: str
    token: str = ""  # of a server for a team

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serving(store: Path) -> Iterator[Served]:
    """`allotment serve` on a free port, until the block ends."""
    command = [
        sys.executable,
        "-m",
        "allotment",
        "serve",
        str(store),
        "--port",
        "0",
        "--no-browser",
    ]
    environment = {**os.environ, "ALLOTMENT_BACKGROUND": "0"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline().strip() for _ in range(4)]
        sign_in = next(line for line in lines if line.startswith("http://"))
        yield Served(process, store, sign_in.partition("/sign-in")[0], sign_in)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE_SECONDS)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium. It needs --no-sandbox as root; it loads pages of these tests only."""
    if not CHROMIUM.exists():
        raise FileNotFoundError(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What a browser did that it should not do: requests to other hosts, errors in the console."""

    address: str
    wrong: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()  # parts of console errors that a test causes on purpose

    def over(self, context: BrowserContext) -> None:
        context.on("request", self._request)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.wrong.append(f"error: {error.error}"))

    def _request(self, request) -> None:
        if not request.url.startswith((self.address + "/", "data:")):
            self.wrong.append(f"request to {request.url}")

    def _console(self, message) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in self.expected):
            self.wrong.append(f"console: {message.text}")


@contextmanager
def visiting(
    browser: Browser,
    served: Served,
    size: tuple[int, int] = WIDE,
    *,
    dark: bool = False,
    sign_in: bool = True,
) -> Iterator[tuple[Page, Watch]]:
    """A page of a fresh browser, signed in, and what it did wrong so far."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        has_touch=size == NARROW,
        locale="en-GB",
        ignore_https_errors=bool(served.token),  # its certificate is the test's own
    )
    context.set_default_timeout(PATIENCE)
    watch = Watch(served.address)
    watch.over(context)
    try:
        page = context.new_page()
        page.goto(served.sign_in)
        if served.token:
            page.get_by_label("Your token").fill(served.token)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "sign-in" not in url)
        yield page, watch
    finally:
        context.close()


def problems_found_by_axe(page: Page, *rules: str) -> list[str]:
    """Serious problems of a page for people with disabilities, each in a line; by all rules, or by some."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    chosen = {"resultTypes": ["violations"], "selectors": False} | ({"runOnly": list(rules)} if rules else {})
    found = page.evaluate("(chosen) => axe.run(document, chosen).then((found) => found.violations)", chosen)
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def flaws(page: Page) -> list[str]:
    """What is wrong with a page in light and in dark: serious problems that axe finds, or a page too wide."""
    found = [] if is_complete_on_a_phone(page) else ["it is wider than a phone"]
    page.emulate_media(color_scheme="light")
    found += [f"light: {each}" for each in problems_found_by_axe(page)]
    page.emulate_media(color_scheme="dark")  # which changes nothing but colours
    found += [f"dark: {each}" for each in problems_found_by_axe(page, "color-contrast")]
    page.emulate_media(color_scheme="light")
    return found


def is_complete_on_a_phone(page: Page) -> bool:
    """Whether a page fits on a phone without scrolling sideways."""
    before = (page.viewport_size["width"], page.viewport_size["height"])
    chosen_size(page, NARROW)
    try:  # a busy browser lays the page out a moment later
        page.wait_for_function(FITS, arg=NARROW[0], timeout=PATIENCE)
    except PlaywrightTimeout:
        return False
    finally:
        chosen_size(page, before)
    return True


def chosen_size(page: Page, size: tuple[int, int]) -> None:
    """Give the window of a page a size."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
