"""Checks reports against their plan and against earlier reports."""

import warnings
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.campaign.forms.amounts import exact, listed, written
from allotment.campaign.history.plan_records import REPORT, UNDOABLE, UNTOLD, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.settings.settings import Settings
from allotment.checks import one_of
from allotment.errors import AmountWarning, ConflictError, InputError, NotFoundError, shown


def report_of(
    state: State,
    plan_id: Any,
    losses: Any,
    amounts: Any,
    correct: bool,
    *,
    keep: bool = False,
    knew: int | None = None,
) -> dict[str, Any]:
    """A report as plain data, by the names that its arms have now.

    `keep` leaves out arms that have a report. `knew` is the last event that the reporter has seen.
    """
    plan = state.plan(plan_id)
    plan.check_carried_out()
    seen = {
        _place(state, plan, name): checked_count(state.settings, name, value)
        for name, value in _mapping("losses", losses).items()
    }
    granted = {
        _place(state, plan, name): exact(f"the amount of {name!r}", value)
        for name, value in _mapping("amounts", {} if amounts is None else amounts).items()
    }
    if len(seen) != len(losses) or len(granted) != len(amounts or ()):
        raise ConflictError(
            "a place is named twice, by an old name and a new one", "each place once", what="losses"
        )
    if not seen and not granted:
        raise InputError(
            "nothing is told", "the losses of at least one place, such as Dock=1", what="losses", value=losses
        )
    if keep:
        seen = {place: count for place, count in seen.items() if plan.losses[place] == UNTOLD}
        if not seen:
            raise ConflictError(
                f"plan {plan.id} has reports of all these places", "a place without one", what="losses"
            )
    if knew is not None:
        _check_nothing_newer(state, plan, seen, granted, knew)
    if not correct:
        _check_agreement(state, plan, seen, granted)
        seen = {place: count for place, count in seen.items() if count is not None}  # not reported: nothing
    name = [state.settings.arms[arm].name for arm in plan.arms.tolist()]
    return {
        "plan": plan.id,
        "losses": {name[place]: count for place, count in seen.items()},
        "amounts": {name[place]: written(amount) for place, amount in granted.items()},
        "correct": correct,
    }


def warn_of_large_amounts(settings: Settings, amounts: Mapping[str, str]) -> None:
    """Say so if a place was granted more than it can use, which may be true or mistyped."""
    for name, amount in amounts.items():
        arm = settings.arms[settings.find(name)]
        if Decimal(amount) > arm.most:
            warnings.warn(
                f"{name} was granted {amount}, but its most is {written(arm.most)}: the report is kept; if "
                f"the amount is mistyped, replace it with --correct (correct=True)",
                AmountWarning,
                stacklevel=3,
            )


def _mapping(what: str, given: Any) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping):
        raise InputError.of(what, given, 'numbers by the names of places, such as {"Dock": 1, "Gate": 0}')
    return given


def _place(state: State, plan: PlanRecord, name: Any) -> int:
    """Where an arm stands in a plan."""
    place = int(plan.positions(np.array([state.settings.find(name)]))[0])
    if place < 0:
        there = listed(state.settings.arms[arm].name for arm in plan.arms.tolist())
        raise NotFoundError(
            f"place {shown(name)} is not in plan {plan.id}", f"one of {there}", what="arm", value=name
        )
    return place


def checked_count(settings: Settings, name: str, value: Any) -> int | None:
    """The losses of a place, if the campaign can record them; None if they are not known."""
    if value is None:
        return None
    counts = settings.losses == "counts"
    whole = isinstance(value, bool | np.bool_ | int | np.integer) or (
        isinstance(value, float | np.floating) and float(value).is_integer()
    )
    if whole and not counts and value > 1:
        raise InputError(
            f"{name}={int(value)}, but this campaign records yes or no (0 or 1). "
            "To record counts, create it with --losses counts.",
            what="losses",
            value=value,
        )
    if not whole or not 0 <= int(value) <= settings.most_losses:
        what = "finds" if settings.sees == "finds" else "losses"
        expected = "a whole number of at least 0" if counts else "0 or 1"
        raise InputError.of(f"{what} of {name!r}", value, expected)
    return int(value)


def _check_agreement(
    state: State, plan: PlanRecord, seen: dict[int, int | None], granted: dict[int, Decimal]
) -> None:
    """Raise an error if a report differs from what was told before; saying the same again does no harm."""
    for place, count in seen.items():
        before = int(plan.losses[place])
        if before not in (UNTOLD, count):
            raise _differs(state, plan, place, str(before), "withdrawn" if count is None else str(count))
    for place, amount in granted.items():
        number = int(plan.amounts[place])
        if number == UNTOLD and plan.losses[place] != UNTOLD:
            number = int(plan.planned[place])
        if number != UNTOLD and state.amounts.values[number] != amount:
            told = f"amount {written(state.amounts.values[number])}"
            raise _differs(state, plan, place, told, f"amount {written(amount)}")


def _check_nothing_newer(
    state: State, plan: PlanRecord, seen: dict[int, int | None], granted: dict[int, Decimal], knew: int
) -> None:
    """Raise an error if a report would replace one that came after the last event that the reporter saw."""
    _check_agreement(
        state,
        plan,
        {place: count for place, count in seen.items() if plan.told[place] > knew},
        {place: amount for place, amount in granted.items() if plan.told[place] > knew},
    )


def _differs(state: State, plan: PlanRecord, place: int, before: str, now: str) -> ConflictError:
    name = state.settings.arms[int(plan.arms[place])].name
    return ConflictError(
        f"plan {plan.id} was told {before} for {name} before, and now {now}",
        "the same, or --correct (correct=True) to replace it",
        what="losses",
        value=now,
    )


def reportable(state: State, day: Any, situation: Any = None) -> list[PlanRecord]:
    """The plans that a report may be meant for: open, and of a date, or else of today or yesterday.

    With a situation, it is one of its plans. Of a date without an open plan, it is the latest one of each
    situation. An error if there is none.
    """
    settings = state.settings
    days = [settings.day(each) for each in (("yesterday", "today") if day is None else (day,))]
    of = None if situation is None else settings.situations.find(situation)
    awaiting = [plan for plan in state.plans if plan.open and of in (None, plan.situation)]
    found = [plan for plan in awaiting if plan.date in days]
    if not found and day is not None:
        wanted = settings.situations.numbers if of is None else (of,)
        latest = [plan for each in wanted if (plan := state.latest(days[0], each)) is not None]
        if not latest:
            wrong, expected = f"there is no plan for {days[0]}", "the date of a plan"
            if of is not None:
                wrong = f"{wrong} ({settings.situations.name(of)})"
                expected = "the date and situation of a plan"
            raise NotFoundError(wrong, expected, what="date", value=days[0])
        return latest
    if not found:
        older = [plan for plan in awaiting if plan.date < days[0]]
        if not older:
            instead = (
                "--date or --plan of one that is closed or told"
                if state.plans
                else "a plan first; `allotment ask` makes one"
            )
            raise NotFoundError("no plan awaits a report", instead, what="plan")
        newest = max(older, key=lambda plan: plan.day)
        raise NotFoundError(
            f"no plan of today or yesterday awaits a report; plan {newest.id} of {newest.date} does",
            f"the date of the plan: --date {newest.date}",
            what="date",
        )
    return found


def cancelling(state: State, plan_id: Any) -> dict[str, Any]:
    """A plan to be cancelled, as plain data."""
    plan = state.plan(plan_id)
    plan.check_untold()
    return {"plan": plan.id}


def closing(state: State, plan_id: Any) -> dict[str, Any]:
    """A plan of which nothing more will be reported, as plain data."""
    plan = state.plan(plan_id)
    plan.check_open()
    return {"plan": plan.id}


def undoing(state: State, undone: Any, what: Any) -> dict[str, Any]:
    """What is to be taken back, as plain data: an import, or a plan's report, cancellation or closing."""
    if isinstance(undone, str) and undone.startswith("import-"):
        if what is not None:
            raise InputError.of("what", what, "nothing beside an import")
        found = state.find_import(undone)
        found.check_live()
        return {"import": found.id}
    plan = state.plan(undone)
    if what is None:
        what = _only(plan)
    plan.check_in_force(one_of("what", what, UNDOABLE))
    return {"plan": plan.id, "what": what}


def _only(plan: PlanRecord) -> str:
    """What there is to undo of a plan; an error if there are several things, so that none goes unintended."""
    found = list(plan.in_force)
    if len(found) > 1:
        raise ConflictError(
            f"plan {plan.id} has a {' and a '.join(found)}",
            f"--what (what=) to say which to undo: {' or '.join(found)}",
            what="what",
            value=found,
        )
    return found[0] if found else REPORT
