"""What can be asked for on a day, by the state of its plans, in the words of the page."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import listed, plain
from allotment.campaign.history.plan_records import CLOSED, PARTLY_TOLD, WAITING
from allotment.campaign.planning.plan import Plan
from allotment.errors import ConflictError
from allotment.web.pages.today.orders import KINDS, Asking, Orders, Typed
from allotment.web.rendering.rendering import day_in_words

AGAIN, ALSO = "again", "also"


class Words(NamedTuple):
    """What a form says, and the field (`mode`) that says whether its plan replaces another."""

    title: str
    sentences: tuple[str, ...]
    button: str
    mode: str = ""


def asking_anew(campaign: Campaign, plan: Plan, typed: Typed | None = None, suffix: str = "") -> Asking:
    """The form that asks for another plan of a plan's date and situation.

    By default it holds the orders of the plan that it replaces.
    """
    if typed is None and plan.state == WAITING:
        typed = Typed(Orders.of_plan(campaign.orders(plan.id)))
    return _asking(campaign, plan.date, (plan.situation,), typed, _words_anew(campaign, plan), suffix)


def asking_first(
    campaign: Campaign, day: date, situations: Sequence[str | None], typed: Typed | None = None
) -> Asking:
    """The form that asks for the first plans of a day in some situations."""
    words = _words_first(campaign, day, situations)
    return _asking(campaign, day, situations, typed, words, suffix="-first")


def situations_to_plan(campaign: Campaign, day: date, situation: str | None) -> tuple[str | None, ...]:
    """The situations that a form asks for: its stated situation, or each one of the day without a plan."""
    on = campaign.situations_on(day)
    if situation is not None or len(on) < 2:
        return (situation,)
    return tuple(each for each in on if campaign.latest(day, each) is None) or on


def refused(error: ConflictError, campaign: Campaign) -> ConflictError:
    """Why an ask was refused, in the words of the page. Errors about something else stay as they are."""
    if error.what != "plan":
        return error
    plan = campaign.plan(str(error.value))
    of = "" if plan.situation is None else f" ({plan.situation})"
    which = f"plan {plan.id} of {day_in_words(plan.date)}{of}"
    if plan.state == WAITING:
        said = f"{which} was made meanwhile, with other orders; look at it, and plan anew to replace it"
    elif plan.state == PARTLY_TOLD:
        said = f"{which} has reports and cannot be replaced; make a second plan beside it"
    else:
        said = f"{which} is {plan.state}; make a second plan beside it"
    return ConflictError(said, what=error.what, value=error.value)


def _asking(
    campaign: Campaign,
    day: date,
    situations: Sequence[str | None],
    typed: Typed | None,
    words: Words,
    suffix: str,
) -> Asking:
    settings, typed = campaign.settings, typed or Typed(Orders())
    # A situation that the calendar gives is not stated: the calendar may later give another.
    is_stated = len(situations) == 1 and campaign.situations_on(day) != tuple(situations)
    budgets = dict.fromkeys(_budget(campaign, each) for each in situations)
    return Asking(
        *words,
        day=day,
        situation=situations[0] if is_stated else None,
        choices=tuple(each for each in situations if each is not None) if len(situations) > 1 else (),
        suffix=suffix,
        orders=typed.orders,
        kinds=KINDS,
        places=tuple(settings.arms[number].name for number in settings.active),
        budget=" or ".join(map(str, budgets)),
        has_moves=settings.moves is not None or bool(typed.orders.moves),
        problem=typed.problem,
        fits=typed.fits,
    )


def _words_first(campaign: Campaign, day: date, situations: Sequence[str | None]) -> Words:
    is_today, many = day == campaign.day(), len(campaign.settings.active)
    when = "today" if is_today else f"{day:%A}, {day.day} {day:%B}"
    places = f"{many} {'place' if many == 1 else 'places'}"
    if len(situations) == 1:
        of = "" if situations[0] is None else f" ({situations[0]})"
        said = f"A plan splits {_budget(campaign, situations[0])} over {places} by what was reported so far."
        button = "Make today's plan" if is_today else "Make the plan"
        return Words(f"No plan for {when}{of} yet", (said,), button)
    is_all = tuple(situations) == campaign.situations_on(day)
    budgets = ", ".join(f"{each} ({_budget(campaign, each)} to grant)" for each in situations)
    said = f"Each situation has a plan of its own over {places}: {budgets}."
    title = f"No plan for {when} yet" if is_all else f"No plan for {listed(situations)} yet"
    return Words(title, (said,), f"Make all {len(situations)} plans" if is_all else "")


def _words_anew(campaign: Campaign, plan: Plan) -> Words:
    if plan.state == WAITING:
        changes = campaign.changes_since(plan.id)
        news = (
            f"Since plan {plan.id} was made: {listed(changes)}."
            if changes
            else f"Nothing was recorded since plan {plan.id} that could change it."
        )
        replaced = f"The new plan replaces plan {plan.id}, which is cancelled."
        return Words("Plan anew", (news, replaced), "Plan anew", AGAIN)
    if plan.state == PARTLY_TOLD:
        title = f"Plan {plan.id} has reports, so that it cannot be replaced"
    elif plan.state == CLOSED:
        title = f"Plan {plan.id} is closed"
    else:
        title = f"Plan {plan.id} is fully reported"
    return Words(title, (f"A second plan stands beside plan {plan.id}.",), "Make a second plan", ALSO)


def _budget(campaign: Campaign, situation: str | None) -> int | float:
    settings = campaign.settings
    number = 0 if situation is None else settings.situations.find(situation)
    return plain(settings.within(number).budget)
