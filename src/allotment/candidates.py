"""The thresholds that can matter: the candidate set of Lemma 1."""

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import nonnegative, whole
from allotment.tolerance import how_many_fit, slack_of


def candidate_thresholds(arms: int, budget: float) -> FloatArray:
    """List the candidate thresholds Θ of Lemma 1: min(1, Q/M) for M = K, K-1, …, max(1, ⌊Q⌋).

    If all arms share a threshold, granting one of these candidates covers as many arms as the threshold
    itself.

    Parameters
    ----------
    arms : int
        K, the number of arms.
    budget : float
        Q, the amount to split in each round.

    Returns
    -------
    FloatArray
        The candidates, increasing. With a budget of 0 there are none.

    Raises
    ------
    InputError
        If `arms` is not a whole number of at least 1, or the budget is negative.

    Examples
    --------
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
    """M = min(⌊Q/θ⌋, K): how many arms the budget covers at this threshold."""
    return min(arms, how_many_fit(threshold, budget, slack_of(budget)))
