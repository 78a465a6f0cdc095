"""The command-line application: it collects the commands, runs one, and turns errors into sentences."""

import sys
import warnings
from copy import copy
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command_name

from allotment.cli.output import complain
from allotment.errors import AllotmentError, KernelError, SimulationInterrupted, shown
from allotment.system.interrupts import Interrupts
from allotment.version import __version__

BAD_INPUT, INTERRUPTED = 2, 128 + 2
LONGEST = 1500  # characters of a sentence
OVERVIEW = "overview"  # the command that `allotment night.db` runs
CAMPAIGNS, LABORATORY = "Campaigns, to plan every day", "Laboratory, to study policies"
UsageError: Any = typer.BadParameter.__base__  # Typer's own, or Click's, as the version has it


class Interrupted(Exception):  # noqa: N818 - as KeyboardInterrupt is named
    """A command was interrupted. (Typer makes a mere exit code of a KeyboardInterrupt.)"""


class Commands(TyperGroup):
    """The commands, listed for planners first, then for researchers. Interrupts pass through."""

    def invoke(self, context: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(context)
        except SimulationInterrupted:
            raise Interrupted from None
        except KeyboardInterrupt as interrupt:
            raise Interrupted(str(interrupt)) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a store in its place means the overview of the store."""
        if args[0] not in self.commands and _is_store(args[0]):
            return OVERVIEW, self.commands[OVERVIEW], args
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, panel by panel."""
        for panel in (CAMPAIGNS, LABORATORY):
            commands = [
                (name, self.commands[name])
                for name in self.list_commands(ctx)
                if not self.commands[name].hidden
                and (getattr(self.commands[name], "rich_help_panel", None) == CAMPAIGNS)
                == (panel == CAMPAIGNS)
            ]
            width = formatter.width - 6 - max((len(name) for name, _ in commands), default=0)
            if commands:
                with formatter.section(panel):
                    formatter.write_dl([(name, each.get_short_help_str(width)) for name, each in commands])


def _is_store(text: str) -> bool:
    """Whether a text names a store of campaigns, or was probably meant to."""
    return text.startswith("postgresql") or Path(text).suffix == ".db" or Path(text).is_file()


app = typer.Typer(
    name="allotment",
    cls=Commands,
    help="Split a limited budget over places when success is invisible.\n\n"
    "`allotment night.db` shows the state of a campaign, and what to do next.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"allotment {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version)
    ] = False,
) -> None:
    """Hold the options that come before any command."""


def run(arrived: Interrupts) -> NoReturn:
    """Run the command line. An error gets one sentence, and exit code 2 if the input is to blame."""
    warnings.showwarning = cast(Any, _say_warning)
    try:
        sys.exit(_needed(sys.argv[1:2])(prog_name="allotment", standalone_mode=False) or 0)
    except Interrupted as interrupted:
        ending = f"; {interrupted}" if str(interrupted) else ""
        _give_up(f"interrupted{ending}", INTERRUPTED if arrived.signal is None else 128 + arrived.signal)
    except KernelError as error:  # with everything that Numba said, if the user asked for it
        print(f"allotment: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except AllotmentError as error:
        _give_up(str(error).replace("\n", " "))
    except MemoryError:
        _give_up("there is not enough memory for this")
    except UsageError as error:
        _refuse_usage(error)
    except (OSError, UnicodeError) as error:  # a full disk behind the standard output, or a narrow encoding
        _give_up(f"cannot write the output: {error}")


def _needed(name: list[str]) -> typer.Typer:
    """The application with the named command alone, since Typer takes a millisecond to build each command.

    An option or a mistake names no command; then all commands are needed.
    """
    needed = copy(app)
    named = [each for each in app.registered_commands if [each.name or _own_name(each)] == name]
    groups = [each for each in app.registered_groups if [each.name] == name]
    if named or groups:
        needed.registered_commands, needed.registered_groups = named, groups
    return needed


def _own_name(command: Any) -> str:
    return get_command_name(command.callback.__name__)


def _refuse_usage(error: Any) -> NoReturn:
    """Print one sentence and where to read more; without arguments, print the help."""
    context = error.ctx
    if context is not None and not sys.argv[1:]:
        print(context.get_help(), file=sys.stderr)
        sys.exit(BAD_INPUT)
    sentence = " ".join(error.format_message().split()).rstrip(".")
    for wrong in getattr(error.__cause__, "errors", list)():  # Typer keeps to itself what was given
        sentence = sentence.replace("Invalid value for", f"Invalid value {shown(wrong['input'])} for")
    command = "allotment" if context is None else context.command_path
    sentence = f"{sentence[0].lower()}{sentence[1:]}"
    if "unexpected extra argument" in sentence:
        sentence += "; put a name that has spaces in quotes"
    _give_up(f"{sentence}{' See' if sentence.endswith('?') else '; see'} `{command} --help`")


def _say_warning(message: Warning | str, *details: Any) -> None:
    complain(f"allotment: {_inert(str(message))}")


def _give_up(sentence: str, code: int = BAD_INPUT) -> NoReturn:
    complain(f"allotment: {_inert(sentence)}")
    sys.exit(code)


def _inert(sentence: str) -> str:
    """A sentence without control characters from quoted files, cut to the size of a screen."""
    shown = "".join(each if each.isprintable() else "\ufffd" for each in sentence)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
