"""Run the tests again and again under other circumstances: python -m tools.flaky [NUMBER OF A RUN...].

Prints each test that did not pass in all runs, and exits with 1 if any failed. `build/flaky` keeps the output
of each run.
"""

import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

ROOT = Path(__file__).parent.parent.parent
KEPT = ROOT / "build" / "flaky"
LOAD = "while True: pass"
PATIENCE = 5400  # seconds for a run
# What libfaketime leaves alone, under names of several versions: the clock that measures how long something
# takes, and the times of files, by which Python knows whether it has compiled a module.
REAL = ("FAKETIME_DONT_FAKE_MONOTONIC", "DONT_FAKE_MONOTONIC", "NO_FAKE_STAT")


class Run(NamedTuple):
    """Circumstances of one run."""

    title: str
    workers: int = 2
    shuffled: bool = True  # another order of tests, and other examples of Hypothesis
    loaded: bool = True
    beside: bool = False  # at the same time as the next run, each the other's load
    clock: str | None = None
    variables: tuple[tuple[str, str], ...] = ()
    as_visitor: bool = False  # not root, and the sources cannot be written to


RUNS = (
    Run("one worker, in order, no load", workers=1, shuffled=False, loaded=False),
    Run("four workers", workers=4),
    Run("29 February", beside=True, clock="2028-02-29 23:59:30"),
    Run("summer time ends", clock="2026-10-25 02:30:00", variables=(("TZ", "Europe/Vienna"),)),
    Run(
        "31 December in Samoa, in German",
        beside=True,
        clock="2026-12-31 23:55:00",
        variables=(("TZ", "Pacific/Apia"), ("LC_ALL", "de_DE.UTF-8")),
    ),
    Run("not root, with sources that cannot be written to", as_visitor=True),
)


def main(numbers: Sequence[str]) -> int:
    """Run all, or those named, and report."""
    chosen = [int(each) for each in numbers] or range(1, len(RUNS) + 1)
    KEPT.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, dict[int, str]] = defaultdict(dict)
    for together in _pairs(chosen):
        burners = os.cpu_count() or 1 if len(together) == 1 and RUNS[together[0] - 1].loaded else 0
        with _load(burners), ThreadPoolExecutor(len(together)) as pool:
            for number, found in zip(together, pool.map(_outcomes, together), strict=True):
                for test, outcome in found:
                    outcomes[test][number] = outcome
    return _report(outcomes, chosen)


def _pairs(chosen: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The runs to start at the same time."""
    left = list(chosen)
    while left:
        first = left.pop(0)
        if RUNS[first - 1].beside and first + 1 in left:
            left.remove(first + 1)
            yield first, first + 1
        else:
            yield (first,)


def _outcomes(number: int) -> list[tuple[str, str]]:
    """What became of each test in a run."""
    run = RUNS[number - 1]
    print(f"run {number}: {run.title}", flush=True)
    results, log = KEPT / f"{number}.xml", KEPT / f"{number}.log"
    results.unlink(missing_ok=True)
    with _sources(run.as_visitor) as folder, log.open("w") as file:
        subprocess.run(
            _command(number, run, results),
            cwd=folder,
            env=os.environ | _variables(number, run, folder),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
    last = log.read_text(errors="replace").rstrip().splitlines()[-1].strip("= ")
    print(f"run {number}: {last}", flush=True)
    if not results.exists():
        return [(f"the whole run, see {log.relative_to(ROOT)}", "failed")]
    return [_outcome(case) for case in ET.parse(results).getroot().iter("testcase")]


def _outcome(case: ET.Element) -> tuple[str, str]:
    kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
    return f"{case.get('classname')}::{case.get('name')}", kinds[0] if kinds else "passed"


def _command(number: int, run: Run, results: Path) -> list[str]:
    tests = [sys.executable, "-m", "pytest", "-n", str(run.workers), "--dist", "worksteal", "-m", "not soak"]
    tests += ["-q", "-p", "no:cacheprovider", f"--junitxml={results}"]
    if run.shuffled:
        tests += ["-p", "tools.flaky.shuffled"]
        tests += ["--hypothesis-profile=other-examples", f"--hypothesis-seed={number}"]
    if run.clock is not None:
        tests = ["faketime", "-f", f"{_ahead(run):+.0f}", *tests]
    if run.as_visitor and os.geteuid() == 0:
        tests = ["unshare", "--user", "--map-user=1000", "--map-group=1000", *tests]
    return tests


def _ahead(run: Run) -> float:
    """How many seconds the clock of a run is ahead. If told a date, each process would begin there anew."""
    assert run.clock is not None
    zone = ZoneInfo(dict(run.variables).get("TZ", "UTC"))
    return datetime.fromisoformat(run.clock).replace(tzinfo=zone).timestamp() - time.time()


def _variables(number: int, run: Run, folder: Path) -> dict[str, str]:
    found = dict(run.variables)
    found |= {
        "SHUFFLE": str(number),
        "XDG_CACHE_HOME": str(KEPT / "cache"),
        "PYTHONPATH": str(folder / "src"),
    }
    if run.clock is not None:
        found |= dict.fromkeys(REAL, "1")
        found["PYTHONPATH"] += os.pathsep + str(Path(__file__).parent / "clock")
    if "LC_ALL" in found:
        found["LOCPATH"] = str(_locale(found["LC_ALL"]))
    if run.as_visitor:
        home = KEPT / "home"
        home.mkdir(exist_ok=True)
        found |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    return found


def _locale(name: str) -> Path:
    """The folder of a locale, made from Debian's sources of it."""
    folder = KEPT / "locales"
    folder.mkdir(exist_ok=True)
    language, characters = name.split(".")
    subprocess.run(["localedef", "-i", language, "-f", characters, str(folder / name)], check=True)
    return folder


@contextmanager
def _load(burners: int) -> Iterator[None]:
    """Keep as many cores busy."""
    busy = [subprocess.Popen([sys.executable, "-c", LOAD]) for _ in range(burners)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


@contextmanager
def _sources(read_only: bool) -> Iterator[Path]:
    """The folder to run in: ours, or a copy that cannot be written to."""
    if not read_only:
        yield ROOT
        return
    folder = KEPT / "sources"
    _delete(folder)
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    subprocess.run(["chmod", "-R", "a-w", str(folder)], check=True)
    try:
        yield folder
    finally:
        _delete(folder)


def _delete(folder: Path) -> None:
    if folder.exists():
        subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)
        shutil.rmtree(folder)


def _report(outcomes: dict[str, dict[int, str]], chosen: Sequence[int]) -> int:
    """Print what did not pass everywhere; 1 if anything failed."""
    failed = 0
    for test, found in sorted(outcomes.items()):
        others = {number: found.get(number, "did not run") for number in chosen}
        others = {number: outcome for number, outcome in others.items() if outcome != "passed"}
        failed += any(outcome != "skipped" for outcome in others.values())
        if others:
            print(f"{test}: {', '.join(f'{outcome} in run {number}' for number, outcome in others.items())}")
    print(f"{len(outcomes)} tests in {len(chosen)} runs: {failed} did not pass in all")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
