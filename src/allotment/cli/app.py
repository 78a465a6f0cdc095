"""The application that the commands join, and how it ends."""

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from allotment.errors import AllotmentError
from allotment.version import __version__

CAMPAIGNS, LABORATORY = "Campaigns, to plan every day", "Laboratory, to study policies"


class InPanels(TyperGroup):
    """Lists the commands in panels: those for planners, then those for researchers."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, panel by panel."""
        for panel in (CAMPAIGNS, LABORATORY):
            commands = [
                (name, self.commands[name])
                for name in self.list_commands(ctx)
                if (getattr(self.commands[name], "rich_help_panel", None) == CAMPAIGNS)
                == (panel == CAMPAIGNS)
            ]
            width = formatter.width - 6 - max((len(name) for name, _ in commands), default=0)
            if commands:
                with formatter.section(panel):
                    formatter.write_dl([(name, each.get_short_help_str(width)) for name, each in commands])


app = typer.Typer(
    name="allotment",
    cls=InPanels,
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
    sys.path.append(str(Path.cwd()))  # so that my_module.MyPolicy is found where the user stands
    warnings.showwarning = cast(Any, _say_warning)
    try:
        app()
    except AllotmentError as error:
        _give_up(str(error))
    except (OSError, UnicodeError) as error:  # a full disk behind the standard output, or a narrow encoding
        _give_up(f"cannot write what was to be shown: {error}")


def _say_warning(message: Warning | str, *details: Any) -> None:
    print(f"allotment: {message}", file=sys.stderr)


def _give_up(sentence: str) -> NoReturn:
    print(f"allotment: {sentence}", file=sys.stderr)
    sys.exit(BAD_INPUT)
