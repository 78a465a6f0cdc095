"""The posterior of a loss rate, given the threshold of its arm."""

from allotment.compiling.decorators import lanes
from allotment.policies.joint.threshold_beliefs import Beliefs, row_of


@lanes
def rate_law(beliefs: Beliefs, arm: int, candidate: int, trust: float) -> tuple[float, float]:
    """Parameters of the loss rate's Beta (for counts, Gamma), if this candidate is the threshold.

    The evidence counts `trust` times.
    """
    rounds, losses = beliefs.rounds_below[arm, candidate], beliefs.losses_below[arm, candidate]
    first, second = beliefs.shape
    if not beliefs.counts:
        return first + trust * losses, second + trust * (rounds - losses)
    last = beliefs.last[row_of(beliefs, arm)]
    exposure = rounds + beliefs.leak * (beliefs.rounds_below[arm, last] - rounds)
    return first + trust * beliefs.losses_below[arm, last], second + trust * exposure


@lanes
def expected_rate(beliefs: Beliefs, arm: int, candidate: int) -> float:
    """The expected loss rate, if this candidate is the threshold."""
    first, second = rate_law(beliefs, arm, candidate, 1.0)
    return first / second if beliefs.counts else first / (first + second)
