"""Draws the numbers of random problems, of several kinds."""

from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import number, one_of, open_unit, whole

RATES = ("uniform", "low", "high", "gapped")
THRESHOLDS = ("spread", "clustered", "same")


def draw_problem(
    arms: int,
    *,
    seed: int,
    rates: str = "uniform",
    thresholds: str = "spread",
    tightness: float = 0.35,
    resolution: float | None = None,
) -> tuple[FloatArray, FloatArray, float]:
    """Loss rates, thresholds and a budget.

    `rates`: "uniform" on [0, 1], "low" (most below 0.1), "high" (above 0.5), or "gapped" (evenly apart,
    in random order). `thresholds`: "spread" on (0.05, 1], "clustered" around three levels, or the "same" for
    all arms. `tightness`: the budget as a share of what covering every arm would take. `resolution`: round
    thresholds up to multiples of it.
    """
    arms = whole("arms", arms, least=1)
    rates = one_of("rates", rates, RATES)
    thresholds = one_of("thresholds", thresholds, THRESHOLDS)
    tightness = number("tightness", tightness, "a number of at least 0", least=0.0)
    stream = np.random.default_rng(np.random.SeedSequence(whole("seed", seed, least=0)))
    levels = _draw_thresholds(thresholds, arms, stream)
    if resolution is not None:
        step = open_unit("resolution", resolution)
        levels = np.minimum(1.0, np.round(np.ceil(levels / step) * step, 12))
    return _draw_rates(rates, arms, stream), levels, float(tightness * levels.sum())


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
