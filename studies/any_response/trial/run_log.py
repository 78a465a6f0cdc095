"""The log of all runs, the failed ones included: a line for every start, end and failure."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from allotment.system.files import ensure_folder
from allotment.version import __version__

LOG, STARTED = "log.txt", "started"
ORDINALS = ("first", "second", "third", "fourth", "fifth")


def label(ordinal: int) -> str:
    """What a run is called: only the first is the clean trial."""
    return f"{ORDINALS[ordinal - 1]} run" if ordinal <= len(ORDINALS) else f"run {ordinal}"


def lines(folder: Path) -> list[str]:
    """The log so far."""
    path = folder / LOG
    return path.read_text("utf-8").splitlines() if path.exists() else []


def seeds(folder: Path) -> list[str]:
    """The seeds of all runs, in the order of their first start. A refused call is no run."""
    started = (line.split(" | ") for line in lines(folder) if line.endswith(f" | {STARTED}"))
    return list(dict.fromkeys(parts[3].removeprefix("seed ") for parts in started))


def write_line(folder: Path, number: int, seed: int, *words: str) -> None:
    """Add a line: date, version, number, seed, and words on what happened."""
    ensure_folder(folder)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    parts = (now, f"version {__version__}", f"number {number}", f"seed {seed:064x}", *words)
    with (folder / LOG).open("a", encoding="utf-8") as log:
        log.write(" | ".join(parts).replace("\n", " ") + "\n")


@contextmanager
def logged(folder: Path, number: int, seed: int) -> Iterator[int]:
    """Log the start of a run and its end or failure; gives the run's place among all runs, from 1 on."""
    ordinal = list(dict.fromkeys([*seeds(folder), f"{seed:064x}"])).index(f"{seed:064x}") + 1
    write = partial(write_line, folder, number, seed, label(ordinal))
    write(STARTED)
    try:
        yield ordinal
    except KeyboardInterrupt:
        write("interrupted")
        raise
    except BaseException as error:
        write(f"failed: {str(error) or type(error).__name__}")
        raise
    write("finished")
