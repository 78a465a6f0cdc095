"""The program that unpacks a file which a visitor sent. It runs in a process of its own, with limits.

It reads what to do from its standard input, as JSON: a job, the file that was sent, and the file to write.
"""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEMORY, CPU_SECONDS, BYTES = 2 * 2**30, 50, 2**29
BAD_INPUT = 2


def main() -> None:
    """Do one job; an error of ours is one sentence on the standard error and exit code 2."""
    limit()
    from allotment.errors import AllotmentError

    asked = json.load(sys.stdin)
    try:
        JOBS[asked.pop("job")](Path(asked.pop("sent")), Path(asked.pop("written")), **asked)
    except AllotmentError as error:
        print(error, file=sys.stderr)
        sys.exit(BAD_INPUT)


def _write_table(sent: Path, written: Path, header: int | None, sheet: str | None) -> None:
    """A table as plain CSV, whose lines have the numbers that they have in the file."""
    from allotment.campaign.logs.log_files import lines_of

    heading = next(lines_of(sent, (), header, sheet), (0, []))[1]
    wanted = {cell.lower() for cell in heading}  # Parquet gives the cells that are wanted
    with written.open("w", encoding="utf-8", newline="") as file:
        writer, last = csv.writer(file, lineterminator="\n"), 0
        for number, cells in lines_of(sent, wanted, header, sheet):
            file.write("\n" * (number - last - 1))  # blank lines keep the numbers of lines
            writer.writerow([" ".join(cell.split()) for cell in cells])
            last = number


def _write_look(sent: Path, written: Path, **asked: Any) -> None:
    """What a log has in its first rows, as JSON."""
    from allotment.campaign.logs.log_looks import look_at

    written.write_text(json.dumps(look_at(sent, **asked).to_dict()), encoding="utf-8")


def _write_shapes(sent: Path, written: Path, names: list[str]) -> None:
    """The geometries of places from GeoJSON, and nothing else of it."""
    from allotment.campaign.forms.shapes import check_vertices, shapes_by_name

    shapes = shapes_by_name(sent, names)
    check_vertices(shapes.values())
    written.write_text(json.dumps(shapes, allow_nan=False), encoding="utf-8")


JOBS: dict[str, Callable[..., None]] = {"table": _write_table, "look": _write_look, "shapes": _write_shapes}


def limit() -> None:
    """Limit the memory, the time and the bytes written by this process."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
