"""Options and output that the commands of campaigns share."""

import csv
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.output import complain, console, print_json, say
from allotment.errors import InputError, NotFoundError, StoreWarning
from allotment.tables import inert

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.forms.answer import Answer
    from allotment.campaign.settings.settings import Settings

NUMBER = re.compile(r"[<>]?[-+]?[0-9.]*( %)?")  # how numbers look in a table, and nothing where there is none


def _warned(store: str) -> str:
    """Return the store, with a warning if its address holds a password."""
    from allotment.campaign.history.store.connecting import url_of

    if url_of(store).password:
        warnings.warn(
            "other users of this machine can see a password in an address; leave it out, and set PGPASSWORD "
            "or write a .pgpass file",
            StoreWarning,
            stacklevel=2,
        )
    return store


StoreArgument = Annotated[
    str,
    typer.Argument(
        metavar="STORE", help="The campaign's file, or a postgresql:// address.", callback=_warned
    ),
]
CampaignOption = Annotated[
    str | None, typer.Option("--campaign", "-c", help="The campaign, if the store holds several.")
]
AuthorOption = Annotated[str | None, typer.Option(help="The author. Defaults to your user name.")]
KeyOption = Annotated[
    str | None,
    typer.Option(help="Idempotency key: repeating a command with the same key has no further effect."),
]
PlotOption = Annotated[Path | None, typer.Option(help="Also draw a figure into this file (.png or .svg).")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")]


def file_named(text: str) -> Path:
    """The file of an argument. An address is refused without repeating it: it may hold a password."""
    from allotment.campaign.history.store.connecting import is_url

    if is_url(text):
        raise InputError("an address was given instead of a file", "the name of a file", what="path")
    return Path(text)


@contextmanager
def opened(store: str, name: str | None, author: str | None = None) -> Iterator["Campaign"]:
    """Open the campaign for one command, which reads the store once."""
    from allotment.campaign.campaign import Campaign

    with Campaign.open(store, name, author=author) as campaign:
        yield campaign.reading_once()


@contextmanager
def patiently(seconds: int = 10) -> Iterator[None]:
    """Say why it takes long, if something has to be compiled first."""
    from allotment.compiling.python_calls import before_compiling

    sentence = f"Compiling the planner for this machine (first run only, about {seconds} s) …"
    with before_compiling(lambda: complain(sentence)):
        yield


def show(
    answer: "Answer", *, json: bool = False, as_csv: bool = False, rows: bool = True, sentences: bool = True
) -> None:
    """Print an answer as a table with sentences, as either, as JSON or as CSV."""
    if json:
        print_json(answer.to_dict())
    elif as_csv:
        print_csv(answer.columns(), answer.rows())
    else:
        if rows:
            print_rows(*answer.table())
        for sentence in answer.sentences() if sentences else ():
            say(sentence)


def draw(plot: Path | None, answer: Any) -> None:
    """Draw the answer, if the user asked for a figure."""
    if plot is not None:
        from allotment.plots.figures import save_figure

        save_figure(answer.plot(), plot)


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows as a table, with numbers to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from allotment.campaign.forms.answer import NONE_YET, cell

    if not rows:
        return
    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    cells, out = [[cell(value) for value in row] for row in rows], console()
    width = sum(2 + max(map(len, column)) for column in zip(columns, *cells, strict=True))
    for name, *values in zip(columns, *cells, strict=True):
        numbers = all(value == NONE_YET or NUMBER.fullmatch(value) for value in values)
        header = name if width <= out.width else name.replace(" ", "\n")  # headings give way before cells do
        shown.add_column(header, justify="right" if numbers else "left")
    for row in cells:
        shown.add_row(*row)
    out.print(shown)


def print_csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows as CSV."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(inert, rows))


def by_name(
    what: str, texts: Sequence[str] | None, example: str = 'Dock=1 or "Main gate=1"'
) -> dict[str, str]:
    """Read texts such as Dock=1 as values by name."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, sign, value = text.rpartition("=")
        if not sign or not name:
            raise InputError.of(what, text, f"a name and a value, such as {example}")
        if name in found:
            raise InputError(f"{what} names {name!r} twice", "each name once", what=what, value=name)
        found[name] = value
    return found


def names_from(texts: Sequence[str] | None, settings: "Settings") -> list[str]:
    """Names of places: each text is a name, or a list such as Dock,Gate; quotes hold a name with a comma."""
    found: list[str] = []
    for text in texts or ():
        if settings.known(text) is not None:
            found.append(text)
        else:
            found += texts_in(text)
    return found


def texts_in(text: str) -> list[str]:
    """The texts of a list such as Dock,Gate; quotes hold a text with a comma."""
    return [each.strip() for row in csv.reader([text], skipinitialspace=True) for each in row]


def number_or_names(what: str, texts: Sequence[str] | None) -> Any:
    """One number for all arms, or numbers by name; None if nothing is given."""
    if not texts:
        return None
    return texts[0] if len(texts) == 1 and "=" not in texts[0] else by_name(what, texts)


def groups_from(texts: Sequence[str] | None, members: dict[str, list[str]]) -> dict[str, Any] | None:
    """Groups by name, with limits from texts such as north=2:6; either number may be left out."""
    from allotment.campaign.forms.names import spellings, stored_as, unknown

    stored, limits = spellings(members), dict[str, str]()
    for given, text in by_name("--group", texts).items():
        name = stored_as(given, stored)
        if name is None and not members:
            raise NotFoundError(
                f"--group names {given!r}, but no place has a group",
                "a column group in the table of places; in a campaign that exists, set the group on each "
                "place's page (`allotment serve`)",
                what="--group",
                value=given,
            )
        if name is None:
            wrong = f"--group names {given!r}, in which there is no place"
            raise unknown(wrong, given, members, f"one of {', '.join(members)}", what="--group")
        limits[name] = text
        if text.count(":") != 1:
            raise InputError.of(f"--group {name}", text, "least:most, such as 2:6, 2: or :6")
    found = {}
    for name, arms in members.items():
        least, _, most = limits.get(name, ":").partition(":")
        found[name] = {"arms": arms, "least": least or None, "most": most or None}
    return found or None


def count_in(text: str) -> Any:
    """Read a number of losses; None for an empty text or a question mark; other texts stay as they are."""
    text = text.strip()
    if text in ("", "?"):
        return None
    try:
        return int(text) if text.removeprefix("-").isdecimal() else text
    except ValueError:  # more digits than Python reads
        return text
