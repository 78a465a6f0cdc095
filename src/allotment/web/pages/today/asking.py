"""What can be asked for on a day, by the state of its latest plan, in the words of the page."""

from dataclasses import replace
from datetime import date

from allotment.campaign.amounts import listed, plain
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.plan_records import CLOSED, PARTLY_TOLD, WAITING
from allotment.campaign.planning.plan import Plan
from allotment.errors import ConflictError
from allotment.web.pages.today.orders import KINDS, Asking, Orders
from allotment.web.rendering import day_in_words

AGAIN, ALSO = "again", "also"


def asking_for(campaign: Campaign, day: date, latest: Plan | None, orders: Orders | None = None) -> Asking:
    """The form that asks for a plan. `orders` are the typed orders; by default, the open plan's."""
    settings = campaign.settings
    is_today = day == campaign.day()
    if orders is None:
        replaced = latest is not None and latest.state == WAITING
        orders = Orders.of_plan(campaign.orders(latest.id)) if latest and replaced else Orders()
    title, sentences, button, mode = _words(campaign, day, latest, is_today=is_today)
    return Asking(
        title=title,
        sentences=sentences,
        button=button,
        mode=mode,
        day=day,
        orders=orders,
        kinds=KINDS,
        places=tuple(settings.arms[number].name for number in settings.active),
        budget=plain(settings.budget),
        has_moves=settings.moves is not None or bool(orders.moves),
    )


def with_problem(asking: Asking, sentence: str) -> Asking:
    """The same, with what is wrong with the orders."""
    return replace(asking, problem=sentence)


def with_answer(asking: Asking, sentence: str) -> Asking:
    """The same, with what there is to say of orders that fit."""
    return replace(asking, fits=sentence)


def _words(
    campaign: Campaign, day: date, latest: Plan | None, *, is_today: bool
) -> tuple[str, tuple[str, ...], str, str]:
    """Title, sentences, label of the button and its mode."""
    when = "today" if is_today else f"{day:%A}, {day.day} {day:%B}"
    if latest is None:
        budget, many = plain(campaign.settings.budget), len(campaign.settings.active)
        places = f"{many} {'place' if many == 1 else 'places'}"
        said = f"A plan splits {budget} over {places} by what was reported so far."
        return f"No plan for {when} yet", (said,), "Make today's plan" if is_today else "Make the plan", ""
    if latest.state == WAITING:
        changes = campaign.changes_since(latest.id)
        news = (
            f"Since plan {latest.id} was made: {listed(changes)}."
            if changes
            else f"Nothing was recorded since plan {latest.id} that could change it."
        )
        return (
            "Plan anew",
            (news, f"The new plan replaces plan {latest.id}, which is cancelled."),
            "Plan anew",
            AGAIN,
        )
    if latest.state == PARTLY_TOLD:
        title = f"Plan {latest.id} has reports, so that it cannot be replaced"
    elif latest.state == CLOSED:
        title = f"Plan {latest.id} is closed"
    else:
        title = f"Plan {latest.id} is fully reported"
    return title, (f"A second plan stands beside plan {latest.id}.",), "Make a second plan", ALSO


def refused(error: ConflictError, campaign: Campaign, day: date) -> ConflictError:
    """Why an ask was refused, in the words of the page. Errors about something else stay as they are."""
    latest = campaign.latest(day)
    if error.what != "plan" or latest is None:
        return error
    which = f"plan {latest.id} of {day_in_words(day)}"
    if latest.state == WAITING:
        said = f"{which} was made meanwhile, with other orders; look at it, and plan anew to replace it"
    elif latest.state == PARTLY_TOLD:
        said = f"{which} has reports and cannot be replaced; make a second plan beside it"
    else:
        said = f"{which} is {latest.state}; make a second plan beside it"
    return ConflictError(said, what=error.what, value=error.value)
