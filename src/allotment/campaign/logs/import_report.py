"""What an import took, skipped, replaced and refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from allotment.campaign.amounts import count_of, listed
from allotment.campaign.answers.answer import Answer
from allotment.campaign.logs.log_format import LogFormat
from allotment.campaign.logs.log_rows import MOST_REFUSED, Refused
from allotment.errors import ConflictError

LINES_SHOWN = 3  # of a mistake


@dataclass(frozen=True)
class ImportReport(Answer):
    """What an import took, skipped, replaced and refused. `id` undoes it; a dry run has none."""

    id: str | None
    file: str
    read: int  # rows in the file
    taken: int  # rows of evidence
    quiet: int  # of these, days added as quiet ones
    rounds: float
    incidents: int
    skipped: int  # known already, and the same
    replaced: int  # known already, and corrected
    first: date | None
    last: date | None
    places: tuple[str, ...]
    without_rows: tuple[str, ...]  # active arms that the file does not name
    amount: str | None
    period: tuple[str, str] | None
    incidents_as: str
    ignored_columns: tuple[str, ...]
    refused: tuple[Refused, ...]
    read_as: Mapping[str, Any] | None = None  # how the file was said to be read, and its heading

    def to_dict(self) -> dict[str, Any]:
        """The whole report as plain data."""
        return {
            **{name: value for name, value in vars(self).items() if name != "read_as" or value is not None},
            "first": None if self.first is None else self.first.isoformat(),
            "last": None if self.last is None else self.last.isoformat(),
            "refused": [vars(each) for each in self.refused],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "ImportReport":
        """What `to_dict` gave."""
        lists = {name: tuple(content[name]) for name in ("places", "without_rows", "ignored_columns")}
        days = {
            name: None if content[name] is None else date.fromisoformat(content[name])
            for name in ("first", "last")
        }
        period = None if content["period"] is None else tuple(content["period"])
        refused = tuple(Refused(**each) for each in content["refused"])
        return cls(**{**content, **lists, **days, "period": period, "refused": refused})

    def columns(self) -> tuple[str, ...]:
        """Of the refused lines."""
        return ("line", "reason")

    def rows(self) -> list[tuple[Any, ...]]:
        """The refused lines."""
        return [(each.line, each.reason) for each in self.refused]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self, *, mistakes: bool = True) -> list[str]:
        """What happened, in words; with each of the mistakes for which lines were refused, or without."""
        read = [] if self.read_as is None else [f"Read with {LogFormat.from_dict(self.read_as).options()}."]
        refused = []
        if self.refused:
            lines = count_of(len(self.refused), "line")
            more = " or more" if len(self.refused) == MOST_REFUSED else ""
            refused.append(f"{lines}{more} refused, so nothing is imported.")
        listed = self.mistakes() if mistakes else []
        return [*self.what_it_takes(), *refused, *listed, *read, *self.notes()]

    def what_it_takes(self) -> list[str]:
        """How much was read and taken, and from when to when."""
        said = [
            f"{self.file}: {count_of(self.read, 'row')} read, {count_of(self.taken, 'row')} of evidence"
            f" ({self.rounds:g} {'round' if self.rounds == 1 else 'rounds'}, "
            f"{count_of(self.incidents, 'incident')})"
            + (f", {self.quiet} of them quiet days that were added" if self.quiet else "")
            + "."
        ]
        if self.first is not None:
            said.append(f"From {self.first} to {self.last}, {count_of(len(self.places), 'place')}.")
        if self.skipped:
            said.append(f"{count_of(self.skipped, 'row')} known already and skipped.")
        if self.replaced:
            said.append(f"{count_of(self.replaced, 'day')} of a place corrected.")
        return said

    def mistakes(self) -> list[str]:
        """Each mistake once, with the first reason, how often it was made, and the first lines."""
        found: dict[str, list[Refused]] = {}
        for each in self.refused:
            found.setdefault(each.mistake, []).append(each)
        return [
            f"{_lines([each.line for each in same])}: {_sentence(same[0].reason)}" for same in found.values()
        ]

    def notes(self) -> list[str]:
        """What was taken for granted, and what was left out."""
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
    """Lines of a log were refused, so nothing was imported; `report` has them all."""

    def __init__(self, report: ImportReport) -> None:
        first = report.refused[0]
        some = f"{len(report.refused)} lines of {report.file} were refused and nothing was imported; "
        one = f"line {first.line} of {report.file} was refused and nothing was imported: "
        lead = one if len(report.refused) == 1 else f"{some}the first is line {first.line}: "
        super().__init__(lead + first.reason, what="log", value=first.line)
        self.report = report
