"""Draws random problems, of several kinds."""

from typing import Any, Protocol

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import nonnegative, number, one_of, open_unit, whole
from allotment.errors import NotApplicableError, shown
from allotment.tolerance import RELATIVE
from allotment.worlds.responses import RESPONSES, Response

RATES = ("uniform", "low", "high", "gapped")
THRESHOLDS = ("spread", "clustered", "same")


class DrawsArms(Protocol):
    """A policy with a prior that worlds can be drawn from."""

    def draw_arms(self, arms: int, budget: float, rng: np.random.Generator) -> dict[str, Any]:
        """Arms drawn from the prior, as keywords of `Problem`."""


def draw_from(policy: DrawsArms, arms: int, budget: float, seed: int) -> dict[str, Any]:
    """Arms drawn from a policy's prior, as keywords of `Problem`."""
    if not hasattr(policy, "draw_arms"):
        raise NotApplicableError(
            f"{shown(policy)} has no prior to draw a world from", "Joint or AnyResponse.plain()"
        )
    stream = np.random.default_rng(np.random.SeedSequence(whole("seed", seed, least=0)))
    return policy.draw_arms(whole("arms", arms, least=1), nonnegative("budget", budget), stream)


def draw_problem(
    arms: int,
    seed: int,
    rates: str,
    thresholds: str,
    tightness: float,
    resolution: float | None,
    response: str,
    leak: float,
) -> tuple[FloatArray, float, Response]:
    """Loss rates, a budget and a response, of the kinds that `Problem.random` explains."""
    arms = whole("arms", arms, least=1)
    rates = one_of("rates", rates, RATES)
    thresholds = one_of("thresholds", thresholds, THRESHOLDS)
    response = one_of("response", response, tuple(RESPONSES))
    tightness = number("tightness", tightness, "a number of at least 0", least=0.0)
    leak = number("leak", leak, "a number from 0 to 1", least=0.0, most=1.0)
    stream = np.random.default_rng(np.random.SeedSequence(whole("seed", seed, least=0)))
    levels = _draw_thresholds(thresholds, arms, stream)
    if resolution is not None:
        step = open_unit("resolution", resolution)
        levels = np.minimum(1.0, np.round(np.ceil((levels - RELATIVE) / step) * step, 12))
    drawn = _draw_rates(rates, arms, stream)
    return drawn, float(tightness * levels.sum()), RESPONSES[response].drawn(levels, leak, stream)


def _draw_rates(kind: str, arms: int, stream: Any) -> FloatArray:
    if kind == "low":
        return stream.beta(1.0, 20.0, arms)
    if kind == "high":
        return stream.uniform(0.5, 1.0, arms)
    if kind == "gapped":
        return stream.permutation((np.arange(arms) + 0.5) / arms)
    return stream.uniform(0.0, 1.0, arms)


def _draw_thresholds(kind: str, arms: int, stream: Any) -> FloatArray:
    if kind == "same":
        return np.full(arms, stream.uniform(0.05, 1.0))
    if kind == "clustered":
        centres = stream.uniform(0.1, 0.9, 3)
        return np.clip(centres[stream.integers(0, 3, arms)] + stream.normal(0.0, 0.03, arms), 0.05, 1.0)
    return stream.uniform(0.05, 1.0, arms)
