"""The tables of a run, in Markdown."""

from collections.abc import Iterable, Sequence

from allotment.markup import interval
from studies.any_response.trial.analysis import Estimate, Outcomes, mean, ratio, together, verdicts
from studies.any_response.trial.contestants import CTS, PAIRS, RULE, SIMPLE, TOLD
from studies.any_response.trial.counted import TOLD_OF_CAPS
from studies.any_response.trial.limits import OLD, Limit

POLICIES = (RULE, OLD, *TOLD, *CTS, "Joint", *PAIRS, TOLD_OF_CAPS, *SIMPLE)
NONE = "-"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _with_ends(found: Estimate | None, digits: int) -> str:
    if found is None:
        return NONE
    return f"{found.value:.{digits}f} ({interval(found.low, found.high, digits)})"


def limits_table(outcomes: Outcomes, limits: Sequence[Limit]) -> str:
    """Each limit in each of its worlds: the number with its interval, and the verdict."""
    rows = []
    for each in verdicts(outcomes, limits):
        limit = each.limit
        found = _with_ends(each.estimate, 2 if limit.denominators else 0)
        goal = NONE if limit.goal is None else f"{limit.goal:g}"
        rows.append(
            (limit.name, each.world, each.against or NONE, found, f"{limit.at_most:g}", goal, each.words)
        )
    head = ["limit", "world", "against", "number (95 % interval)", "at most", "goal", "verdict"]
    return _table(head, rows)


def means_table(outcomes: Outcomes) -> str:
    """Means over problems by world and policy, with their intervals."""
    policies = _played(outcomes)
    rows = [
        (world, *(_with_ends(mean(of[name]) if name in of else None, 0) for name in policies))
        for world, of in outcomes.items()
    ]
    return _table(["world", *policies], rows)


def ratios_table(outcomes: Outcomes) -> str:
    """AnyResponse's mean over that of each other policy by world, and the geometric mean over worlds."""
    others = [name for name in _played(outcomes) if name != RULE]
    found = {
        other: {world: ratio(of[RULE], of[other]) for world, of in outcomes.items() if {RULE, other} <= {*of}}
        for other in others
    }
    rows = [(world, *(_with_ends(found[other].get(world), 2) for other in others)) for world in outcomes]
    means = (together(list(found[other].values())) if found[other] else None for other in others)
    rows.append(("geometric mean", *(_with_ends(each, 2) for each in means)))
    return _table(["world", *others], rows)


def _played(outcomes: Outcomes) -> list[str]:
    return [name for name in POLICIES if any(name in of for of in outcomes.values())]
