"""The program that unpacks a table which a visitor sent. It runs in a process of its own, with limits."""

import csv
import sys
from pathlib import Path

MEMORY, CPU_SECONDS, BYTES = 2 * 2**30, 50, 2**29
BAD_INPUT = 2


def main() -> None:
    """Write the table of the first argument as plain CSV to the second."""
    _limit()
    from allotment.campaign.logs.log_files import lines_of
    from allotment.errors import AllotmentError

    sent, plain, header, sheet = sys.argv[1:]
    try:
        with Path(plain).open("w", encoding="utf-8", newline="") as file:
            writer, written = csv.writer(file, lineterminator="\n"), 0
            for number, cells in lines_of(sent, (), int(header) if header else None, sheet or None):
                file.write("\n" * (number - written - 1))  # blank lines keep the numbers of lines
                writer.writerow([" ".join(cell.split()) for cell in cells])
                written = number
    except AllotmentError as error:
        print(error, file=sys.stderr)
        sys.exit(BAD_INPUT)


def _limit() -> None:
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
