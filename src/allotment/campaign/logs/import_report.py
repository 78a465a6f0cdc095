"""The report of an import: the rows it took, skipped, replaced and refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from allotment.campaign.forms.amounts import count_of, listed
from allotment.campaign.forms.answer import Answer, Sentence
from allotment.campaign.logs.log_format import LogFormat
from allotment.campaign.logs.log_rows import MOST_REFUSED, Refused
from allotment.errors import ConflictError

READ = "what was read"  # topic of a sentence
LINES_SHOWN = 3  # of a mistake
LATER = ("read_as", "situations")  # which events of earlier versions do not have


@dataclass(frozen=True)
class ImportReport(Answer):
    """The report of an import: the rows it took, skipped, replaced and refused.

    Attributes
    ----------
    id : str or None
        The id for `Campaign.undo`. A dry run has none.
    file : str
        The name of the file.
    read : int
        The rows of the file.
    taken, quiet : int
        The rows of evidence, and how many of them are quiet days that `period` added.
    rounds, incidents : number
        The rounds and incidents of the evidence.
    skipped, replaced : int
        The rows that were known already, and the rows that were corrected.
    first, last : datetime.date or None
        The dates that the evidence spans.
    places : tuple of str
        The places in the file.
    without_rows : tuple of str
        Active places that the file does not name. Empty if lines were refused, since those may name them.
    amount, period, incidents_as
        The options of the import.
    ignored_columns : tuple of str
        Columns that were not used.
    refused : tuple of Refused
        The lines that were refused, with reasons.
    read_as : mapping or None
        The format in which the file was read, and its heading.
    situations : mapping of str to int, or None
        The rows of evidence of each situation. None if the campaign has no situations.
    """

    id: str | None
    file: str
    read: int
    taken: int
    quiet: int
    rounds: float
    incidents: int
    skipped: int
    replaced: int
    first: date | None
    last: date | None
    places: tuple[str, ...]
    without_rows: tuple[str, ...]
    amount: str | None
    period: tuple[str, str] | None
    incidents_as: str
    ignored_columns: tuple[str, ...]
    refused: tuple[Refused, ...]
    read_as: Mapping[str, Any] | None = None
    situations: Mapping[str, int] | None = None

    def recorded(self) -> dict[str, Any]:
        """The report as its event holds it: what came later only if there is something to say."""
        found = self.to_dict()
        return {name: value for name, value in found.items() if name not in LATER or value is not None}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "ImportReport":
        """Make a report from the plain data that `recorded` gives.

        Parameters
        ----------
        content : mapping
            The plain data.

        Returns
        -------
        ImportReport
            The report.
        """
        lists = {name: tuple(content[name]) for name in ("places", "without_rows", "ignored_columns")}
        days = {
            name: None if content[name] is None else date.fromisoformat(content[name])
            for name in ("first", "last")
        }
        period = None if content["period"] is None else tuple(content["period"])
        refused = tuple(Refused(**each) for each in content["refused"])
        return cls(**{**content, **lists, **days, "period": period, "refused": refused})

    def options(self) -> str:
        """The options of `allotment import` that would read the next such log in the same way."""
        said = [] if self.read_as is None else [LogFormat.from_dict(self.read_as).options()]
        said += [] if self.amount is None else [f"--amount {self.amount}"]
        said += [] if self.incidents_as == "count" else [f"--incidents {self.incidents_as}"]
        said += [] if self.period is None else ["--period FIRST LAST"]  # other days than this log's
        return " ".join(said)

    def columns(self) -> tuple[str, ...]:
        """The columns of the refused lines."""
        return ("line", "reason")

    def rows(self) -> list[tuple[Any, ...]]:
        """The refused lines."""
        return [(each.line, each.reason) for each in self.refused]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self, *, mistakes: bool = True) -> list[str]:
        """Say in sentences what happened.

        Parameters
        ----------
        mistakes : bool
            Whether to list the mistakes for which lines were refused.

        Returns
        -------
        list of str
            The sentences.
        """
        read = [] if self.read_as is None else [f"Read with {LogFormat.from_dict(self.read_as).options()}."]
        refused = []
        if self.refused:
            lines = count_of(len(self.refused), "line")
            more = " or more" if len(self.refused) == MOST_REFUSED else ""
            refused.append(f"{lines}{more} refused, so nothing is imported.")
        listed = self.mistakes() if mistakes else []
        return [*self.what_it_takes(), *refused, *listed, *read, *self.notes()]

    def what_it_takes(self) -> list[str]:
        """Say how many rows were read and taken, and which dates they span."""
        read = (
            f"{self.file}: {count_of(self.read, 'row')} read, {count_of(self.taken, 'row')} of evidence"
            f" ({self.rounds:g} {'round' if self.rounds == 1 else 'rounds'}, "
            f"{count_of(self.incidents, 'incident')})"
            + (f", {self.quiet} of them quiet days that were added" if self.quiet else "")
            + "."
        )
        said: list[str] = [Sentence(read, READ)]
        if self.first is not None:
            said.append(f"From {self.first} to {self.last}, {count_of(len(self.places), 'place')}.")
        if self.situations:
            said.append(
                f"Situations: {', '.join(f'{name} {count}' for name, count in self.situations.items())}."
            )
        if self.skipped:
            said.append(f"{count_of(self.skipped, 'row')} known already and skipped.")
        if self.replaced:
            said.append(f"{count_of(self.replaced, 'day')} of a place corrected.")
        return said

    def mistakes(self) -> list[str]:
        """Each mistake once, with its first reason, its number and its first lines."""
        found: dict[str, list[Refused]] = {}
        for each in self.refused:
            found.setdefault(each.mistake, []).append(each)
        return [
            f"{_lines([each.line for each in same])}: {_sentence(same[0].reason)}" for same in found.values()
        ]

    def notes(self) -> list[str]:
        """Say which assumptions were made, and what was left out."""
        said = []
        if self.amount is not None:
            said.append(f"Amount where the file has none: {self.amount}.")
        if self.ignored_columns:
            said.append(f"Columns not used: {listed(self.ignored_columns)}.")
        if self.without_rows and self.period is not None:
            said.append(
                f"No row names {listed(self.without_rows)}: nothing was learnt of them. With a row of 0 "
                f"incidents their other days are quiet ones too."
            )
        return said


def _sentence(reason: str) -> str:
    return reason if reason.endswith(("?", ".")) else f"{reason}."


def _lines(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"Line {numbers[0]}"
    return f"{len(numbers)} lines ({listed(numbers, LINES_SHOWN)})"


class RefusedError(ConflictError):
    """Some lines of a log were refused, so nothing was imported; `report` lists them."""

    def __init__(self, report: ImportReport) -> None:
        first = report.refused[0]
        some = f"{len(report.refused)} lines of {report.file} were refused and nothing was imported; "
        one = f"line {first.line} of {report.file} was refused and nothing was imported: "
        lead = one if len(report.refused) == 1 else f"{some}the first is line {first.line}: "
        super().__init__(lead + first.reason, what="log", value=first.line)
        self.report = report
