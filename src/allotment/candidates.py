"""Which thresholds can matter: the candidate set of Lemma 1."""

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import nonnegative, whole
from allotment.tolerance import how_many_fit, slack_of


def candidate_thresholds(arms: int, budget: float) -> FloatArray:
    """Θ of Lemma 1, increasing: min(1, Q/M) for M = K, K-1, …, max(1, ⌊Q⌋).

    Whatever threshold all arms share, granting the right one of these covers as many arms. With a budget of 0
    there is none: nothing can be covered.

    >>> candidate_thresholds(4, 2.5).tolist()
    [0.625, 0.8333333333333334, 1.0]
    """
    arms = whole("arms", arms, least=1)
    budget = nonnegative("budget", budget)
    if budget <= slack_of(budget):
        return np.zeros(0)
    fewest = min(arms, max(1, how_many_fit(1.0, budget, slack_of(budget))))
    counts = np.arange(arms, fewest - 1, -1)
    return np.minimum(1.0, budget / counts)


def arms_covered(threshold: float, arms: int, budget: float) -> int:
    """M: how many arms the budget covers at this threshold, min(⌊Q/θ⌋, K)."""
    return min(arms, how_many_fit(threshold, budget, slack_of(budget)))
