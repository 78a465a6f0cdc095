"""What the page of a trial shows: what the change means, and the difference place by place."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from markupsafe import Markup

from allotment.campaign.answers.event_words import Difference
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import besides, short
from allotment.campaign.planning.plan import EXPECTED, GRANTED
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.campaign.settings.specification import BY_NAME
from allotment.web.charts.bars import Bar, bars
from allotment.web.charts.outlines import places_on_a_map
from allotment.web.pages.trials.trial import Trial

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class PlaceDifference:
    """A place in the plan that stands, and in the plan on trial."""

    name: str
    now: int | float
    then: int | float
    difference: int | float

    @property
    def signed(self) -> str:
        """The difference with its sign; nothing where there is none."""
        return f"{self.difference:+.12g}".replace("-", MINUS) if self.difference else ""


@dataclass(frozen=True)
class TriedView:
    """The plan on trial beside the plan that stands."""

    date: date
    situation: str | None
    current_name: str
    places: tuple[PlaceDifference, ...]  # those that change most come first
    moved: int
    granted_now: int | float
    granted_then: int | float
    expected: tuple[tuple[str, str], ...]
    chart: Markup
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TrialView:
    """The whole page."""

    meaning: tuple[str, ...]
    differences: tuple[Difference, ...]
    tried: TriedView | None
    map: Markup | None  # of new outlines
    kept: bool
    can_go_back: bool
    path: str
    origin: str


def trial_view(trial: Trial, path: str) -> TrialView:
    """A trial as its page shows it."""
    return TrialView(
        meaning=trial.meaning,
        differences=tuple(map(_titled, trial.differences)),
        tried=None if trial.tried is None else _tried(trial.tried),
        map=places_on_a_map(trial.changes.get("shapes", {})),
        kept=trial.kept,
        can_go_back=bool(trial.back_changes),
        path=path,
        origin=trial.origin,
    )


def _titled(found: Difference) -> Difference:
    """A difference with the title that its field has on Settings."""
    about = BY_NAME.get(found.what.replace("-", "_"))
    page = None if about is None or about.field is None else about.page
    what = f"{found.what[:1].upper()}{found.what[1:]}" if page is None else page.title
    none = "none" if page is None else page.none
    values = {"old": found.old, "new": found.new}
    shown = {name: none if value == "none" else value for name, value in values.items()}
    return found._replace(what=what, **shown)


def _tried(plan: TriedPlan) -> TriedView:
    places = [PlaceDifference(name, now, then, change) for name, then, now, change in plan.rows()]
    places.sort(key=lambda each: -abs(each.difference))
    return TriedView(
        date=plan.date,
        situation=plan.situation,
        current_name=plan.current_name,
        places=tuple(places),
        moved=sum(1 for each in places if each.difference),
        granted_now=_total([each.now for each in places]),
        granted_then=_total([each.then for each in places]),
        expected=tuple(plan.ways().items()),
        chart=_chart(plan),
        notes=tuple(besides(plan.sentences(), GRANTED, EXPECTED)),  # which the page shows
    )


def _total(amounts: list[int | float]) -> int | float:
    return plain(sum((Decimal(str(each)) for each in amounts), Decimal(0)))


def _chart(plan: TriedPlan) -> Markup:
    weighted = plan.weighted or (plan.current is not None and plan.current.weighted)
    pairs = {"this trial": (plan.expected_losses, plan.expected_cost)}
    if plan.current is not None:
        pairs[plan.current_name] = (plan.current.expected_losses, plan.current.expected_cost)
    pairs |= {name: (found.losses, found.cost) for name, found in plan.beside.items()}
    shown = []
    for name, (losses, cost) in pairs.items():
        value = cost if weighted or losses is None else losses
        shown.append(Bar(name, value, short(value), is_ours=name == "this trial"))
    return bars(shown, f"expected {'cost' if weighted else 'losses'} of a round")
