"""What settings are, and what changes of them mean, in sentences that take more than a line to make."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from allotment.campaign.forms.amounts import plain, written

if TYPE_CHECKING:
    from allotment.campaign.settings.arms import Arm, Group
    from allotment.campaign.settings.settings import Settings

FREE = "any number"


def budget(before: "Settings", after: "Settings") -> str:
    """The budget of all situations that have no other."""
    return f"The budget of a round becomes {written(after.budget)} (now {written(before.budget)})."


def moves(before: "Settings", after: "Settings") -> str:
    """The limit of moves."""
    was, now = (FREE if each is None else f"{each} at most" for each in (before.moves, after.moves))
    return f"Units that places may gain together from one plan to the next: {now} (now {was})."


def half_life(before: "Settings", after: "Settings") -> str:
    """How reports age."""
    if after.half_life is None:
        return "Reports count fully however old they are."
    return f"A report counts half after {written(after.half_life)} days."


def note(before: "Settings", after: "Settings") -> str:
    """The note on duty sheets."""
    if after.note is None:
        return "Duty sheets have no note any more."
    return f"Every duty sheet has this note, also that of an earlier plan: {after.note}"


def groups(settings: "Settings") -> str:
    """The groups with their limits."""

    def limits(group: "Group") -> str:
        said = [f"at least {plain(group.least)}"] if group.least else []
        said += [] if group.most is None else [f"at most {plain(group.most)}"]
        return f" ({', '.join(said)})" if said else ""

    return ", ".join(f"{name}{limits(group)}" for name, group in settings.groups.items()) or "none"


def control(settings: "Settings") -> str | None:
    """Control rounds, if there are any."""
    called = tuple(arm.name for arm in settings.arms)
    return None if settings.control is None else settings.control.shown(called)


def most(was: "Arm", now: "Arm") -> str:
    """The largest amount of a place."""
    said = f"Plans grant {now.name} at most {written(now.most)} (now {written(was.most)})."
    if now.most > was.most:
        return f"{said} What the reports say about amounts up to {written(now.most)} is used and shown."
    nothing = " It stays in every plan and gets nothing." if not now.most else ""
    return f"{said} Its reports stay, and no belief changes.{nothing}"


def least(was: "Arm", now: "Arm") -> str:
    """The smallest amount of a place."""
    if not now.least:
        return f"Plans may leave {now.name} without anything (now it gets at least {written(was.least)})."
    return (
        f"Every plan grants {now.name} at least {written(now.least)} (now {written(was.least)}), "
        "also where that prevents little."
    )


def crew(was: "Arm", now: "Arm") -> str:
    """The least amount of a place that gets anything."""
    if not now.crew:
        return f"{now.name} may get a single unit (now nothing, or at least a crew of {written(was.crew)})."
    before = f" (now {written(was.crew)})" if was.crew else ""
    return f"{now.name} gets nothing, or at least a crew of {written(now.crew)}{before}."


def severity(was: "Arm", now: "Arm") -> str:
    """What a loss at a place costs."""
    many = "as much as" if now.severity == 1 else f"{written(now.severity)} times as much as"
    return f"A loss at {now.name} counts {many} a loss of severity 1 (now {written(was.severity)})."


def threshold(was: "Arm", now: "Arm") -> str:
    """The amount that is known to cover a place."""
    if now.threshold is None:
        return f"The campaign learns from reports again how {now.name} responds to amounts."
    return (
        f"Plans take it as known that {written(now.threshold)} covers {now.name}, and less does not. "
        "How much still happens under cover is learned from reports."
    )


def created_words(payload: Mapping[str, Any]) -> str:
    """The budget and the situations that a campaign began with, from its event."""
    situations = payload.get("situations")
    if situations is None:
        return f"budget {payload['budget']}"
    own = {name: bounds["budget"] for name, bounds in situations["own"].items()}
    budgets = {name: own.get(name) or payload["budget"] for name in situations["names"]}
    budget = one_or_each(budgets, payload["budget"])
    return f"situations {', '.join(situations['names'])}, budget {budget}"


def one_or_each(budgets: Mapping[str, str], otherwise: str) -> str:
    """The budget of all situations; of each if they differ; `otherwise` without situations."""
    if len(set(budgets.values())) > 1:
        return each_budget(budgets)
    return next(iter(budgets.values()), otherwise)


def each_budget(budgets: Mapping[str, Any]) -> str:
    """Budgets by situation, for a sentence.

    >>> each_budget({"early": 4, "late": 6, "night": 3})
    '4 (early), 6 (late) or 3 (night)'
    """
    *others, last = (f"{budget} ({name})" for name, budget in budgets.items())
    return " or ".join(filter(None, (", ".join(others), last)))
