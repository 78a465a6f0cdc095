"""The command line: each command is a file here that calls one library function and shows the result."""

import importlib
import os
import pkgutil
from typing import NoReturn

from allotment.interrupts import interrupts


def main() -> None:
    """Gather the commands and run the one that was asked for."""
    with interrupts(_leave) as arrived:
        for module in pkgutil.iter_modules(__path__):
            importlib.import_module(f"{__name__}.{module.name}")
        from allotment.cli.app import run

        run(arrived)


def _leave(number: int) -> NoReturn:
    """End at once, with nothing in hand."""
    os.write(2, b"allotment: interrupted\n")
    os._exit(128 + number)
