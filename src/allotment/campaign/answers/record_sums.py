"""Adds up what plans expected and what was reported: by month, week, situation, group or place."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from allotment.campaign.history.events import Event
from allotment.campaign.history.ledger import rows_of
from allotment.campaign.history.plan_payload import PlanPayload, Tables
from allotment.campaign.history.plan_records import UNTOLD
from allotment.campaign.history.state import State
from allotment.campaign.settings.settings import Settings
from allotment.errors import HistoryError

QUANTILE = 1.6448536269514722  # of the normal distribution: 5 % lie above it
NEARLY = 1e-9  # costs are sums of products, which are rounded

MONTH, WEEK, SITUATION, GROUP, PLACE = "month", "week", "situation", "group", "place"
KINDS = (MONTH, WEEK, SITUATION, GROUP, PLACE)
READ_AT_ONCE = 100  # plans
Key = Callable[["ToldPlan", int], Hashable]  # of the part that a place of a plan belongs to


@dataclass(frozen=True)
class RecordPart:
    """A month, week, situation, group or place, by its name: what plans expected, and what was reported.

    A month is named 2026-05, a week by its Monday. `expected` and `happened` are numbers of losses, or of
    finds where reports count finds. Costs are these numbers times the severities stored with the plans.
    """

    name: str
    rounds: int
    expected: float
    low: float  # of the 90 % band
    high: float
    happened: int
    inside: bool  # whether the band holds what happened
    expected_cost: float
    cost_low: float
    cost_high: float
    cost: float
    cost_inside: bool
    late: int  # rounds whose plans did not know all reports of earlier rounds


class ToldPlan(NamedTuple):
    """A plan with reports; the lists hold the reported places, each by its position in the plan."""

    asked: int  # the event
    day: date
    situation: int  # as it is read now
    arms: list[int]
    positions: list[int]
    units: list[float]  # granted in truth, in units of the plan
    seen: list[int]  # losses, or finds
    events: list[int]  # that last said something of the place


class ToldPlans(NamedTuple):
    """All plans with reports, first to last, and the number of reports that imports have replaced."""

    plans: list[ToldPlan]
    replaced: int


class Seen(NamedTuple):
    """One place in one round: what was expected at the granted amount, and what was reported."""

    expected: float
    variance: float
    severity: float
    happened: int
    event: int


@dataclass
class RecordSum:
    """A sum over rounds of what was expected, with its variance, and of what happened."""

    rounds: int = 0
    late: int = 0  # rounds whose plans did not know all reports of earlier rounds in this sum
    expected: float = 0.0
    variance: float = 0.0
    happened: int = 0
    expected_cost: float = 0.0
    cost_variance: float = 0.0
    cost: float = 0.0
    newest: int = 0  # the last event that reported something of it

    def add(self, knew: int, places: Sequence[Seen]) -> None:
        """Add places of a round whose plan knew the events up to a number."""
        self.rounds += 1
        self.late += self.newest > knew
        for each in places:
            self.expected += each.expected
            self.variance += each.variance
            self.happened += each.happened
            self.expected_cost += each.severity * each.expected
            self.cost_variance += each.severity * each.severity * each.variance  # a power could overflow
            self.cost += each.severity * each.happened
            self.newest = max(self.newest, each.event)


class RecordSums(NamedTuple):
    """Sums by key, in no order; the sum over all; what was left out."""

    by_key: dict[Hashable, RecordSum]
    total: RecordSum
    weighted: bool  # whether some loss costs something else than 1
    without_tables: int  # plans with reports that stored no expectations


def told_plans(state: State) -> ToldPlans:
    """The reports as they stand. Cancelled plans have none."""
    found, replaced, values = [], 0, state.amounts.values
    for plan in state.plans:
        told = int((plan.losses != UNTOLD).sum())
        if not told:
            continue
        rows = rows_of(plan, state.imports)
        replaced += told - len(rows)
        if len(rows):
            found.append(
                ToldPlan(
                    plan.asked,
                    plan.date,
                    plan.situation,
                    rows.arm.tolist(),
                    plan.positions(rows.arm).tolist(),
                    [float(values[amount] / plan.unit) for amount in rows.amount.tolist()],
                    rows.losses.tolist(),
                    rows.event.tolist(),
                )
            )
    return ToldPlans(found, replaced)


def key_by(by: str, settings: Settings) -> Key:
    """The part that a place of a plan belongs to, so that parts sort in their order; None: it has none."""
    if by == MONTH:
        return lambda plan, arm: plan.day.replace(day=1)
    if by == WEEK:
        return lambda plan, arm: plan.day - timedelta(days=plan.day.weekday())
    if by == SITUATION:
        return lambda plan, arm: plan.situation if settings.situations else None
    if by == GROUP:
        return lambda plan, arm: settings.arms[arm].group
    return lambda plan, arm: arm


def sums_of(
    plans: Sequence[ToldPlan], read: Callable[[int, int], list[Event]], key: Key, *, finds: bool
) -> RecordSums:
    """Add up the plans. `read` gives the events of plans after one event and up to another."""
    by_key, total, weighted, without_tables = dict[Hashable, RecordSum](), RecordSum(), False, 0
    for plan, stored in _stored(plans, read):
        if stored.tables is None:
            without_tables += 1
            continue
        try:
            places, knew = list(_places(plan, stored.tables, finds=finds)), int(stored.knew)
        except (KeyError, TypeError, ValueError, IndexError):
            raise HistoryError(f"event {plan.asked} (a plan) cannot be read; `allotment verify`") from None
        weighted = weighted or any(each.severity != 1.0 for each in places)
        parts: dict[Hashable, list[Seen]] = {}
        for arm, each in zip(plan.arms, places, strict=True):
            parts.setdefault(key(plan, arm), []).append(each)
        for name, some in parts.items():
            by_key.setdefault(name, RecordSum()).add(knew, some)
        total.add(knew, places)
    return RecordSums(by_key, total, weighted, without_tables)


def _stored(
    plans: Sequence[ToldPlan], read: Callable[[int, int], list[Event]]
) -> Iterator[tuple[ToldPlan, PlanPayload]]:
    """Each plan with what was stored with it, some at a time, so that memory does not grow with them."""
    for start in range(0, len(plans), READ_AT_ONCE):
        some = plans[start : start + READ_AT_ONCE]
        stored = {event.number: event for event in read(some[0].asked - 1, some[-1].asked)}
        for plan in some:
            if plan.asked not in stored:
                raise HistoryError(f"event {plan.asked} is missing")
            yield plan, stored.pop(plan.asked).plan  # not kept: its tables may be large


def _places(plan: ToldPlan, tables: Tables, *, finds: bool) -> Iterable[Seen]:
    variances, found = tables.variances, tables.find_variances
    columns = (plan.positions, plan.units, plan.seen, plan.events)
    for position, units, seen, event in zip(*columns, strict=True):
        row, severity = tables.losses[position], float(tables.severities[position])
        spread = None if variances is None else variances[position]
        expected, variance = (finds_at if finds else losses_at)(row, spread, units)
        if finds and found is not None:
            variance = between_units(found[position], units)
        yield Seen(expected, variance, severity, seen, event)


def parts_of(sums: RecordSums, by: str, settings: Settings) -> tuple[RecordPart, ...]:
    """The sums in their order, each with its name; last comes what belongs to none."""
    order: dict[Hashable, str]
    if by == SITUATION:
        order = dict(enumerate(settings.situations.names))
    elif by == GROUP:
        order = {name: name for name in settings.groups}
    elif by == PLACE:
        order = {number: arm.name for number, arm in enumerate(settings.arms)}
    else:
        days = sorted(each for each in sums.by_key if isinstance(each, date))
        order = {day: day.isoformat()[:7] if by == MONTH else day.isoformat() for day in days}
    order[None] = f"no {by}"
    return tuple(part_of(name, sums.by_key[key]) for key, name in order.items() if key in sums.by_key)


def part_of(name: str, found: RecordSum) -> RecordPart:
    """A sum with its name and its bands."""
    low, high = band(found.expected, found.variance)
    cost_low, cost_high = band(found.expected_cost, found.cost_variance)
    return RecordPart(
        name,
        found.rounds,
        *(found.expected, low, high, found.happened, is_inside(found.happened, low, high)),
        *(found.expected_cost, cost_low, cost_high, found.cost, is_inside(found.cost, cost_low, cost_high)),
        found.late,
    )


def losses_at(
    losses: Sequence[float], variances: Sequence[float] | None, units: float
) -> tuple[float, float]:
    """The expected losses at an amount, and their variance: p·(1 - p) for yes or no losses."""
    mean = between_units(losses, units)
    return mean, mean * (1.0 - mean) if variances is None else between_units(variances, units)


def finds_at(losses: Sequence[float], variances: Sequence[float] | None, units: float) -> tuple[float, float]:
    """The expected finds at an amount, and their variance.

    Finds are the losses without a grant less those at the amount. A yes/no find has the variance p·(1 - p).
    A count has the variance of a Poisson number, its mean, plus the variance of its uncertain rate. Plans
    before 0.3.0 store that of losses alone, whose rate is R without a grant and R·s at the amount. The rate
    of finds is R·(1 - s); its variance follows from the two as long as R and s are independent.
    """
    alone, left = losses[0], between_units(losses, units)
    mean = max(alone - left, 0.0)
    if variances is None:
        return mean, mean * (1.0 - mean)
    if alone <= 0.0:
        return mean, mean
    square = variances[0] - alone + alone**2  # the mean of R²
    square_left = between_units(variances, units) - left + left**2
    share = min(left / alone, 1.0)
    of_share = min(max(square_left / square, share**2), share)  # the mean of s²
    return mean, mean + max(square * (1.0 - 2.0 * share + of_share) - mean**2, 0.0)


def between_units(row: Sequence[float], units: float) -> float:
    """A stored number at an amount: linear between whole units, and constant above the last.

    >>> between_units([0.4, 0.2, 0.1], 0.5), between_units([0.4, 0.2, 0.1], 7.0)
    (0.30000000000000004, 0.1)
    """
    last = len(row) - 1
    if units >= last:
        return float(row[last])
    below = math.floor(units)
    return float(row[below] + (units - below) * (row[below + 1] - row[below]))


def band(mean: float, variance: float) -> tuple[float, float]:
    """The 90 % band of a sum; it does not go below 0."""
    reach = QUANTILE * math.sqrt(max(variance, 0.0))
    return max(mean - reach, 0.0), mean + reach


def is_inside(value: float, low: float, high: float) -> bool:
    """Whether a band holds a value."""
    return low - NEARLY <= value <= high + NEARLY
