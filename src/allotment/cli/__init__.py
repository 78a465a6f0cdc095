"""The command line: each command is a file here that calls one library function and shows the result."""

import importlib
import pkgutil


def main() -> None:
    """Gather the commands and run the one that was asked for."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    from allotment.cli.app import run

    run()
