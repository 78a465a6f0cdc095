"""The posterior of a loss rate, and the information that a round is expected to give about a threshold."""

import math

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes
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


@kernel
def entropy(chance: float) -> float:
    """The entropy of an event with this probability, in nats."""
    if chance <= 0.0 or chance >= 1.0:
        return 0.0
    return -chance * math.log(chance) - (1.0 - chance) * math.log(1.0 - chance)


@kernel
def chance_of_loss(beliefs: Beliefs, arm: int, candidate: int, covered: bool) -> float:
    """The probability of a loss in a round, covered or not, if this candidate is the threshold."""
    if not beliefs.counts:
        return beliefs.leak if covered else expected_rate(beliefs, arm, candidate)
    shape, exposure = rate_law(beliefs, arm, candidate, 1.0)
    more = beliefs.leak if covered else 1.0
    return 1.0 - (exposure / (exposure + more)) ** shape


@kernel
def expect_information(beliefs: Beliefs, arm: int, told: FloatArray) -> None:
    """Write the expected information, in nats, of a grant that covers the first 0, 1, 2 … candidates.

    It is the mutual information of the threshold and of seeing a loss: H(Σ_j w_j p_j) - Σ_j w_j H(p_j). Here,
    p_j is the probability of a loss if candidate j is the threshold. If the grant covers no candidate, every
    p_j is that of the uncovered arm, which the first loop adds up. Each further covered candidate changes one
    p_j, so the second loop moves one term of both sums at a time.
    """
    weights, start, stop = beliefs.weights[arm], beliefs.start[arm], beliefs.stop[arm]
    loss, unknown, uncovered, remains = 0.0, 0.0, -1.0, 0.0
    for j in range(start, stop):
        told[j] = chance_of_loss(beliefs, arm, j, False)
        if told[j] != uncovered:  # most neighbouring candidates have the same evidence
            uncovered, remains = told[j], entropy(told[j])
        loss += weights[j] / beliefs.totals[arm] * uncovered
        unknown += weights[j] / beliefs.totals[arm] * remains
    told[:start] = entropy(loss) - unknown
    for j in range(start, stop):
        if told[j] != uncovered:
            uncovered, remains = told[j], entropy(told[j])
        told[j] = entropy(loss) - unknown
        share, covered = weights[j] / beliefs.totals[arm], chance_of_loss(beliefs, arm, j, True)
        loss += share * (covered - uncovered)
        unknown += share * (entropy(covered) - remains)
    told[stop:] = entropy(loss) - unknown
