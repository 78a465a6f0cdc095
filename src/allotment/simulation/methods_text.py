"""The paragraph that describes a run in the methods section of a paper."""

from collections.abc import Mapping, Sequence

from allotment.arrays import FloatArray
from allotment.policies.base.policy import Policy
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Step
from allotment.worlds.world import World

MOST_ARMS = 10  # of a problem whose numbers stand in the paragraph


def methods_text(
    world: World,
    name: str | None,
    policies: Sequence[Policy],
    versions: Mapping[str, str],
    *,
    horizon: int,
    replications: int,
    seed: int,
) -> str:
    """What was run, on which problem, how often, with which seed, intervals and versions."""
    named = [f"{policy.label} ({policy!r})" for policy in policies]
    compared = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    shared_luck = (
        " In each replication, all policies faced the same random numbers." if len(named) > 1 else ""
    )
    reported = "We report the expected regret of each round, summed over rounds"
    if replications > 1:
        reported += ", as the mean over replications with pointwise 95 % confidence intervals (Student's t)"
    return (
        f"We simulated {compared} on {_played(world, name)}. Each policy played {replications} independent "
        f"replications of {horizon} rounds, with seed {seed}.{shared_luck} {reported}. {_made_with(versions)}"
    )


def _played(world: World, name: str | None) -> str:
    """The problem by its name, or by its numbers if it has none and they are few."""
    if name is not None:
        return f"{name} ({world.in_short()})"
    for shipped in Problem.shipped():
        if world == Problem.named(shipped):
            return f"{shipped}, which ships with allotment ({world.in_short()})"
    return f"a problem of our own ({'; '.join([world.in_short(), *_numbers(world)])})"


def _numbers(world: World) -> list[str]:
    if not isinstance(world, Problem) or world.arms > MOST_ARMS:
        return []
    has_thresholds = isinstance(world.response, Step) and not world.leak.any()
    covers = f"thresholds {_row(world.thresholds)}" if has_thresholds else f"response {world.response!r}"
    severities = [f"severities {_row(world.severities)}"] if (world.severities != 1.0).any() else []
    return [f"loss rates {_row(world.loss_rates)}", covers, *severities]


def _row(numbers: FloatArray) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def _made_with(versions: Mapping[str, str]) -> str:
    """The sentence on versions; results of early versions do not know theirs."""
    if "allotment" not in versions:
        return "Simulations ran in allotment."
    others = ", ".join(
        f"{name} {number}" for name, number in versions.items() if name not in ("allotment", "system")
    )
    where = f" on {versions['system']}" if "system" in versions else ""
    return f"Simulations ran in allotment {versions['allotment']} ({others}){where}."
