"""Pages of a campaign with a thousand places: the time until each is loaded, and the server's CPU time."""

import os
import statistics

import psutil
import pytest

from allotment.web.rendering.navigation import SECTIONS
from web_screenshots import computed, make_campaign
from web_serving import chromium, serving, visiting

PLACES, VISITS = 1000, 5
PATHS = [each.path for each in SECTIONS]
PATHS += ["report/8", "plans/8", "places?name=Harbour+1", "places/new", "settings/places/most"]
# Milliseconds until the browser has painted what follows.
SEARCH = """async (text) => {
  const input = document.querySelector('input[type="search"]'), start = performance.now();
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""
SORT = """async () => {
  const buttons = document.querySelectorAll(".sort-button"), start = performance.now();
  buttons[buttons.length - 1].click();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""


@pytest.fixture(scope="module")
def visited(tmp_path_factory):
    """A server with a large campaign, and a browser that is signed in."""
    store = tmp_path_factory.mktemp("pages") / "large.db"
    make_campaign(store, PLACES)
    with chromium() as browser, serving(store) as served, visiting(browser, served) as (page, _):
        yield served, page


def seconds_computed(process) -> float:
    """CPU time of a process so far, user and system."""
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


@pytest.mark.parametrize("path", PATHS)
def test_open(benchmark, visited, path):
    served, page = visited
    address = f"{served.address}/c/1/{path}"
    computed(page, address)
    before = seconds_computed(served.process)
    benchmark.pedantic(page.goto, args=(address,), rounds=VISITS)
    of_server = (seconds_computed(served.process) - before) / VISITS
    said = f"server {1000 * of_server:.0f} ms CPU, {len(page.content()) // 1024} KiB, "
    print(f"\n{path}: {said}load average {os.getloadavg()[0]:.1f}")


@pytest.mark.parametrize("path", ["today", "places", "report/8", "settings/places/most"])
def test_search_and_sort(visited, path):
    served, page = visited
    computed(page, f"{served.address}/c/1/{path}")
    searches = [page.evaluate(SEARCH, text) for text in ("H", "Ha", "Harbour 1", "")]
    sorts = [page.evaluate(SORT) for _ in range(4)] if page.locator(".sort-button").count() else []
    said = f"search {statistics.median(searches):.0f} ms"
    print(f"\n{path}: {said}" + (f", sort {statistics.median(sorts):.0f} ms" if sorts else ""))
