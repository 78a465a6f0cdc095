"""The inputs of a plan: the evidence, and the reports since the previous plan."""

from collections.abc import Callable
from typing import Any

from allotment.campaign.forms.amounts import count_of, listed
from allotment.campaign.history.events import Event
from allotment.campaign.history.state import State
from allotment.campaign.planning.asking import PlanInputs
from allotment.campaign.planning.calm import plan_to_keep
from allotment.campaign.planning.comparison import lot_of


def inputs_of(
    state: State,
    event_of: Callable[[int], Event],
    day: Any,
    situation: tuple[int, bool] = (0, False),
    *,
    is_kept: bool = False,
) -> PlanInputs:
    """Collect the inputs of a plan for a date (today by default), at the last event of a state.

    `event_of` finds an event by its number. `situation` is a number, and whether someone stated it. Only a
    plan that is kept learns its lot: nobody may try out which dates are control rounds.
    """
    number, stated = situation
    settings = state.settings.within(number)
    on = settings.day(day)
    last = next((plan for plan in reversed(state.plans) if plan.situation == number), None)
    before = None if last is None else event_of(last.asked).plan
    return PlanInputs(
        settings,
        state.tallies(settings.half_life, on),
        len(state.plans) + 1,
        state.number,
        on,
        before,
        _news(state, 0 if before is None else before.knew),
        plan_to_keep(state, event_of, on, number),
        number,
        stated,
        lot_of(state, event_of, on, number) if is_kept else None,
    )


def _news(state: State, after: int) -> tuple[str, ...]:
    """What was reported after an event, in words."""
    said = []
    for plan in state.plans:
        if plan.last_told > after:
            recent = plan.told > after
            lost = recent & (plan.losses > 0)
            losses, places = sum(plan.losses[lost].tolist()), int(recent.sum())
            where = listed((state.settings.arms[arm].name for arm in plan.arms[lost].tolist()), 4)
            said.append(
                f"plan {plan.id} was reported for {count_of(places, 'place')} "
                f"({count_of(losses, 'loss', 'losses')}{f': {where}' if where else ''})"
            )
    said += [
        f"{each.id} ({len(each.rows)} rows)" for each in state.imports if each.event > after and each.live
    ]
    return tuple(said)
