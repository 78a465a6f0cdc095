"""Worlds drawn from the prior of AnyResponse, and moments of that prior."""

from typing import Any, cast

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies._posterior_sampling import draw_rates, rate_moments
from allotment.policies.any_response.family import Family
from allotment.policies.any_response.listed_rates import Listed, are_listed, listed_arrays
from allotment.worlds.responses import Piecewise

RatePrior = tuple[float, float] | Listed


def _draw_rates(rates: RatePrior, losses: str, arms: int, rng: np.random.Generator) -> FloatArray:
    """Draw the loss rates of arms."""
    if are_listed(rates):
        listed, log_weights = listed_arrays(cast(Listed, rates))
        return rng.choice(listed, arms, p=np.exp(log_weights))
    return draw_rates(cast(tuple[float, float], rates), losses, arms, rng)


def _rate_moments(rates: RatePrior, losses: str) -> tuple[float, float]:
    """The mean of a loss rate and of its square."""
    if are_listed(rates):
        listed, log_weights = listed_arrays(cast(Listed, rates))
        return float(np.exp(log_weights) @ listed), float(np.exp(log_weights) @ listed**2)
    return rate_moments(cast(tuple[float, float], rates), losses)


def curve_chances(family: Family, within_kinds: FloatArray) -> FloatArray:
    """Arms x curves: the prior probability of every curve, given its weight within its kind."""
    chances = within_kinds * family.kind_weights[family.kinds]
    return chances / chances.sum(axis=1, keepdims=True)


def draw_response(family: Family, chances: FloatArray, rng: np.random.Generator) -> Piecewise:
    """Draw a curve for every arm."""
    drawn = [rng.choice(each.size, p=each) for each in chances]
    levels = family.remaining[drawn]
    levels = np.minimum.accumulate(levels / levels[:, :1], axis=1)  # rounding errors might let it rise
    units = levels.shape[1] - 1
    return Piecewise(np.arange(units + 1) / units, levels.tolist())


def mean_squares(family: Family, chances: FloatArray, rates: RatePrior, losses: str) -> FloatArray:
    """Arms x amounts: E[Y²] of the losses Y of a round; for yes/no losses, that is E[Y]."""
    mean, square = _rate_moments(rates, losses)
    expected = mean * (chances @ family.remaining)
    return expected + square * (chances @ family.remaining**2) if losses == "counts" else expected


def drawn_world(
    family: Family, chances: FloatArray, rates: RatePrior, losses: str, rng: np.random.Generator
) -> dict[str, Any]:
    """Draw arms from the prior."""
    return {
        "loss_rates": _draw_rates(rates, losses, len(chances), rng),
        "response": draw_response(family, chances, rng),
        "losses": losses,
    }
