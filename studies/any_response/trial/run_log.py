"""The log of all runs, the failed ones included: a line for every start, end and failure."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from allotment.files import ensure_folder
from allotment.version import __version__

LOG = "log.txt"
ORDINALS = ("first", "second", "third", "fourth", "fifth")


def label(ordinal: int) -> str:
    """What a run is called: only the first is the clean trial."""
    return f"{ORDINALS[ordinal - 1]} run" if ordinal <= len(ORDINALS) else f"run {ordinal}"


def lines(folder: Path) -> list[str]:
    """The log so far."""
    path = folder / LOG
    return path.read_text("utf-8").splitlines() if path.exists() else []


def seeds(folder: Path) -> list[str]:
    """The seeds of all runs, in the order of their first start."""
    return list(dict.fromkeys(_fields(line)["seed"] for line in lines(folder)))


def _fields(line: str) -> dict[str, str]:
    return dict(part.split(" ", 1) for part in line.split(" | ")[1:4])


@contextmanager
def logged(folder: Path, number: int, seed: int) -> Iterator[int]:
    """Log the start of a run and its end or failure; gives the run's place among all runs, from 1 on."""
    ensure_folder(folder)
    known = seeds(folder)
    if f"{seed:064x}" not in known:
        known.append(f"{seed:064x}")
    ordinal = known.index(f"{seed:064x}") + 1

    def write(event: str) -> None:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        parts = (
            now,
            f"version {__version__}",
            f"number {number}",
            f"seed {seed:064x}",
            label(ordinal),
        )
        with (folder / LOG).open("a", encoding="utf-8") as log:
            log.write(" | ".join((*parts, event)) + "\n")

    write("started")
    try:
        yield ordinal
    except KeyboardInterrupt:
        write("interrupted")
        raise
    except BaseException as error:
        write(f"failed: {str(error) or type(error).__name__}".replace("\n", " "))
        raise
    write("finished")
