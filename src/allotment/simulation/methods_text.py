"""The paragraph that describes a run in the methods section of a paper."""

from collections.abc import Mapping, Sequence

from allotment.policy import Policy
from allotment.worlds.world import World


def methods_text(
    world: World,
    policies: Sequence[Policy],
    versions: Mapping[str, str],
    *,
    horizon: int,
    replications: int,
    seed: int,
) -> str:
    """What was run, how often, with which seed, intervals and versions."""
    named = [f"{policy.label} ({policy!r})" for policy in policies]
    compared = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    shared_luck = (
        " In each replication, all policies faced the same random numbers." if len(named) > 1 else ""
    )
    reported = "We report the expected regret of each round, summed over rounds"
    if replications > 1:
        reported += ", as the mean over replications with pointwise 95 % confidence intervals (Student's t)"
    return (
        f"We simulated {compared} on a problem with {world.arms} arms and a budget of {world.budget:g}. Each "
        f"policy played {replications} independent replications of {horizon} rounds, with seed {seed}."
        f"{shared_luck} {reported}. {_made_with(versions)}"
    )


def _made_with(versions: Mapping[str, str]) -> str:
    """The sentence on versions; results of early versions do not know theirs."""
    if "allotment" not in versions:
        return "Simulations ran in allotment."
    others = ", ".join(
        f"{name} {number}" for name, number in versions.items() if name not in ("allotment", "system")
    )
    where = f" on {versions['system']}" if "system" in versions else ""
    return f"Simulations ran in allotment {versions['allotment']} ({others}){where}."
