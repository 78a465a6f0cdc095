"""The content of a duty sheet: places by group, subtotals, and the places that get nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from allotment.campaign.forms.amounts import plain
from allotment.campaign.history.plan_records import CANCELLED
from allotment.campaign.planning.plan import Plan
from allotment.campaign.settings.settings import Settings
from allotment.errors import ConflictError

OTHERS = "Other places"  # those without a group, where there are groups


@dataclass(frozen=True)
class Section:
    """The places of one group that get something, and what they get together."""

    group: str | None  # None if the campaign has no groups
    places: tuple[tuple[str, int | float], ...]  # name, amount
    subtotal: int | float


@dataclass(frozen=True)
class DutySheet:
    """What stands on a duty sheet, as plain data."""

    campaign: str
    plan_id: str
    date: date
    budget: int | float
    granted: int | float
    sections: tuple[Section, ...]
    nothing: tuple[str, ...]  # places that get nothing
    reported: str  # what is written into the boxes: "Losses", "Finds"
    binary: bool
    situation: str | None = None
    note: str | None = None  # for whoever is on duty

    @property
    def title(self) -> str:
        """The date and the situation."""
        day = f"{self.date:%A}, {self.date.day} {self.date:%B} {self.date.year}"
        return day if self.situation is None else f"{day} · {self.situation}"

    @property
    def subtitle(self) -> str:
        """Which plan it is, and how much it grants."""
        return f"{self.campaign} · plan {self.plan_id} · {self.granted} of {self.budget} granted"

    @property
    def columns(self) -> tuple[str, ...]:
        """Titles of the columns; the last three are boxes to write in."""
        box = f"{self.reported} (0 or 1)" if self.binary else self.reported
        return ("Place", "Gets", "Got instead", box, "Remarks")

    @property
    def hint(self) -> str:
        """How to fill in the boxes."""
        return (
            f"{self.reported}: write 0 if nothing happened; an empty box means no report. "
            "Got instead: only if it was not as planned."
        )

    @property
    def without_grant(self) -> str:
        """The places that get nothing, in one line."""
        return f"These places get nothing: {', '.join(self.nothing)}." if self.nothing else ""

    @property
    def box_title(self) -> str:
        """What the large box is for."""
        return f"What happened{' at places that get nothing, and anything else' if self.nothing else ''}:"


def sheet_of(plan: Plan, settings: Settings) -> DutySheet:
    """The duty sheet of a plan, by the groups that the places are in now; refused for a cancelled plan."""
    if plan.state == CANCELLED:
        raise ConflictError(
            f"plan {plan.id} was cancelled", "a plan that is carried out", what="plan", value=plan.id
        )
    groups: dict[str | None, list[tuple[str, int | float]]] = {}
    for name, amount in plan.amounts.items():
        if amount:
            group = settings.arms[settings.find(name)].group
            groups.setdefault(group, []).append((name, amount))
    without = groups.pop(None, [])
    found = [Section(name, tuple(places), _total(places)) for name, places in sorted(groups.items())]
    if without:
        found.append(Section(OTHERS if found else None, tuple(without), _total(without)))
    return DutySheet(
        campaign=settings.name,
        plan_id=plan.id,
        date=plan.date,
        budget=plan.budget,
        granted=_total(plan.amounts.items()),
        sections=tuple(found),
        nothing=tuple(name for name, amount in plan.amounts.items() if not amount),
        situation=plan.situation_words,
        reported=settings.sees.capitalize(),
        binary=settings.losses == "binary",
        note=plan.note,
    )


def _total(places: Iterable[tuple[str, int | float]]) -> int | float:
    """The sum of amounts, exact in decimals."""
    return plain(sum((Decimal(str(amount)) for _, amount in places), Decimal(0)))
