"""How sentences name a plan (its number, date and situation), and its orders of the day in words."""

from allotment.campaign.history.event_parts import plan_words
from allotment.campaign.history.plan_payload import PlanPayload

__all__ = ["orders_in", "plan_words", "situation_words"]


def situation_words(made_for: str | None, counts_as: str | None) -> str | None:
    """The situation of a plan: that for which it was made and, if a new calendar reads another, both.

    >>> situation_words("weekday", "weekday"), situation_words("weekday", "weekend")
    ('weekday', 'made for weekday, counts as weekend')
    """
    if made_for is None or counts_as is None or made_for == counts_as:
        return counts_as or made_for
    return f"made for {made_for}, counts as {counts_as}"


def orders_in(plan: PlanPayload) -> tuple[str, ...]:
    """What a plan was bound to on its day: fixed, excluded and required places, and another budget."""
    wishes, usual = plan.wishes, plan.usual_budget
    said = [f"{name} fixed at {amount}" for name, amount in wishes.fix.items()]
    said += [f"{name} excluded" for name in wishes.exclude]
    said += [f"{name} required" for name in wishes.require]
    if wishes.budget is not None:
        said.append(f"budget {wishes.budget}" + ("" if usual is None else f" instead of {usual}"))
    return tuple(said)
