"""The existing plan of a date: whether an ask shows or replaces it, and the changes since."""

import shlex
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from allotment.campaign.forms.amounts import count_of, listed
from allotment.campaign.history.events import Event
from allotment.campaign.history.kinds import KINDS, Told
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.plan_records import PARTLY_TOLD, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.plan import Plan, orders_in, plan_words
from allotment.campaign.planning.wishes import Wishes
from allotment.campaign.settings.settings import Settings
from allotment.errors import ConflictError

SECOND = "--also for a second plan on that date"


class DayPlan(NamedTuple):
    """The plan of a date. If it was `made` before, `changes` says what has been recorded since, in words.

    A plan that is told or closed `ignores_orders` of an ask that concerns the other plans of its date.
    """

    plan: Plan
    made: bool  # now
    changes: tuple[str, ...] = ()
    ignores_orders: bool = False


def standing_plan(state: State, day: date, situation: int, *, again: bool) -> PlanRecord | None:
    """The plan that an ask for a date and situation shows or, `again`, replaces; an error if it cannot."""
    found = state.latest(day, situation)
    if found is None:
        return None
    situations = state.settings.situations
    called, is_one_of_several = situations.name(situation), len(situations.on(day)) > 1
    second = f"--situation {shlex.quote(called)} {SECOND}" if called and is_one_of_several else SECOND
    if not found.open:
        raise _refused(found, called, f"is {found.state}", f"{second}, or another date: --date tomorrow")
    if again and found.state == PARTLY_TOLD:
        others = ", or --again with the --situation of another plan" if is_one_of_several else ""
        raise _refused(found, called, f"is {PARTLY_TOLD} and cannot be replaced", f"{second}{others}")
    return found


def check_same_orders(
    plan: PlanRecord, made: PlanPayload, settings: Settings, wishes: Wishes, *, explore: bool
) -> None:
    """Raise an error if a plan was made with other orders for the day than those that are given now."""
    stored, aliases = made.wishes, settings.aliases
    same_budget = wishes.budget == (Decimal(stored.budget) if stored.budget is not None else None)
    if wishes.budget is not None and wishes.budget == made.budget:
        same_budget = True
    same = (
        same_budget
        and wishes.exclude == {aliases[name] for name in stored.exclude}
        and wishes.require == {aliases[name] for name in stored.require}
        and (wishes.fix or {}) == {aliases[name]: Decimal(each) for name, each in stored.fix.items()}
        and wishes.moves in (None, stored.moves)
        and explore == made.explore
    )
    if not same:
        raise _refused(
            plan,
            settings.situations.name(plan.situation),
            f"was made {_made_with(made)}",
            "the same orders; or --again to replace the plan, or `allotment show` to see it",
        )


def _made_with(made: PlanPayload) -> str:
    """What a plan was made with that another ask may not have, in words."""
    said = list(orders_in(made))
    said += [] if made.wishes.moves is None else [f"moves limited to {made.wishes.moves}"]
    said += [] if made.explore else ["nothing granted to learn"]
    return f"with {listed(said)}" if said else "without orders of the day"


def _refused(plan: PlanRecord, situation: str | None, wrong: str, expected: str) -> ConflictError:
    which = plan_words(plan.id, plan.date, situation)
    return ConflictError(f"{which} {wrong}", expected, what="plan", value=plan.id)


def changes_in(events: Iterable[Event]) -> tuple[str, ...]:
    """What events recorded that could lead to another plan, in words: reports, imports, settings, places."""
    said: list[str] = []
    told: dict[str, list[Any]] = {}
    for event in events:  # plans have no news, and are not parsed
        if isinstance(KINDS[event.kind], Told):
            told.setdefault(event.payload["plan"], []).extend(event.payload["losses"].values())
        said += KINDS[event.kind].news(event)
    reports = [
        f"plan {plan} was reported for {count_of(len(counts), 'place')} "
        f"({count_of(sum(filter(None, counts)), 'loss', 'losses')})"
        for plan, counts in told.items()
    ]
    return tuple(dict.fromkeys(reports + said))
