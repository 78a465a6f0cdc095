"""The application that the commands join, and how it ends."""

import sys
from typing import Annotated

import typer

from allotment.errors import AllotmentError
from allotment.version import __version__

app = typer.Typer(
    name="allotment",
    help="Split a limited budget over places when success is invisible.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

BAD_INPUT, INTERRUPTED = 2, 130


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"allotment {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", callback=_show_version)
    ] = False,
) -> None:
    """Hold the options that come before any command."""


def run() -> None:
    """Run the command line: one sentence and exit code 2 for bad input. (Typer makes 130 of Ctrl-C.)"""
    try:
        app()
    except AllotmentError as error:
        print(f"allotment: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
