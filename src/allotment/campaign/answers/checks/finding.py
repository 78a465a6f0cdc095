"""What a check found: an alarm, a warning, or nothing; and all checks of a campaign together."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from allotment.campaign.forms.answer import Answer, Record

CALENDAR, DRIFT, FIT = "calendar", "drift", "fit"
STORE = "STORE"  # stands for the campaign's file in a command
FEWEST_DAYS = 28  # with reports, before anything can be said of drift and fit
RAISED, QUIET, TOO_EARLY, NOT_NEEDED = "raised", "nothing found", "too early", "not needed"


@dataclass(frozen=True)
class Finding(Record):
    """The result of one check.

    Attributes
    ----------
    kind : {"calendar", "drift", "fit"}
        The check.
    is_alarm : bool
        Whether the check is a test with a guarantee. Otherwise, it gives a warning at most.
    state : {"raised", "nothing found", "too early", "not needed"}
        The result.
    sentence : str
        The evidence in plain words.
    remedy : str
        What to do. Empty unless the state is "raised".
    command : str
        The command to type, with STORE for the campaign's file. Empty if there is none.
    numbers : mapping of str to float
        The numbers behind the sentence.
    """

    kind: str
    is_alarm: bool
    state: str
    sentence: str
    remedy: str = ""
    command: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_raised(self) -> bool:
        """Whether there is an alarm or a warning."""
        return self.state == RAISED

    @property
    def result(self) -> str:
        """The result in one or two words."""
        if not self.is_raised:
            return self.state
        return "alarm" if self.is_alarm else "warning"


@dataclass(frozen=True)
class Checkup(Answer):
    """The results of all checks: whether the world still looks as the model assumes.

    Attributes
    ----------
    campaign : str
        The name of the campaign.
    date : datetime.date
        The date.
    findings : tuple of Finding
        The result of each check.
    """

    campaign: str
    date: date
    findings: tuple[Finding, ...]

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The alarms and warnings."""
        return tuple(each for each in self.findings if each.is_raised)

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return ("check", "result", "evidence", "remedy", "command")

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per check."""
        return [(each.kind, each.result, each.sentence, each.remedy, each.command) for each in self.findings]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """Each check with its result."""
        return ("check", "result"), [(each.kind, each.result) for each in self.findings]

    def sentences(self) -> list[str]:
        """The evidence and the remedy of each check."""
        said = []
        for each in self.findings:
            said.append(f"{each.kind.capitalize()}: {each.sentence}")
            said += [each.remedy] if each.remedy else []
            said += [f"Type: {each.command}"] if each.command else []
        said.append(
            "No check can see whether losses move to a neighbour, or whether yesterday's grant still matters."
        )
        return said


def with_store(found: Checkup, store: str) -> Checkup:
    """The same with commands for a store."""
    commands = [each.command.replace(STORE, shlex.quote(store)) for each in found.findings]
    pairs = zip(found.findings, commands, strict=True)
    return replace(found, findings=tuple(replace(each, command=command) for each, command in pairs))
