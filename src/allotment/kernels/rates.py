"""What is believed of a loss rate, if some candidate is the threshold of its arm."""

from typing import Any

from allotment.compiling import kernel
from allotment.kernels.beliefs import Beliefs, row_of
from allotment.kernels.sampling import draw_beta, draw_gamma


@kernel
def rate_law(beliefs: Beliefs, arm: int, candidate: int, trust: float) -> tuple[float, float]:
    """Parameters of the loss rate's Beta (of counts: Gamma), if this candidate is the threshold.

    The evidence is counted `trust` times.
    """
    rounds, losses = beliefs.rounds_below[arm, candidate], beliefs.losses_below[arm, candidate]
    first, second = beliefs.shape
    if not beliefs.counts:
        return first + trust * losses, second + trust * (rounds - losses)
    last = beliefs.last[row_of(beliefs, arm)]
    exposure = rounds + beliefs.leak * (beliefs.rounds_below[arm, last] - rounds)
    return first + trust * beliefs.losses_below[arm, last], second + trust * exposure


@kernel
def draw_rate(beliefs: Beliefs, rng: Any, arm: int, candidate: int, trust: float) -> float:
    """Draw the loss rate, if this candidate is the threshold, with the evidence counted `trust` times."""
    first, second = rate_law(beliefs, arm, candidate, trust)
    if beliefs.counts:
        return draw_gamma(rng, first) / second
    return draw_beta(rng, first, second)


@kernel
def expected_rate(beliefs: Beliefs, arm: int, candidate: int) -> float:
    """The loss rate to expect, if this candidate is the threshold."""
    first, second = rate_law(beliefs, arm, candidate, 1.0)
    return first / second if beliefs.counts else first / (first + second)
