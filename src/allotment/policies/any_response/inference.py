"""From a family and evidence to a posterior; `beliefs.py` has the formulas."""

import functools
import math
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from allotment.arrays import FloatArray, IntArray, SingleArray
from allotment.checks import number, vector
from allotment.compiling.decorators import Entry
from allotment.errors import InputError
from allotment.evidence import Evidence
from allotment.policies.any_response.beliefs import CountedCurves, Curves, Prior, new_curves
from allotment.policies.any_response.family import Family
from allotment.policies.any_response.listed_rates import Listed, are_listed, checked_listed, listed_arrays
from allotment.policies.any_response.precision import Precision
from allotment.policies.any_response.settling import settle
from allotment.policies.any_response.situations.beliefs import Situated, new_situated
from allotment.policies.any_response.situations.settling import consider
from allotment.policies.any_response.tuning import LEAST, RATES, RATES_OF_FINDS, SIMULATING

# Arrays of beliefs without an axis for arms; and stairs, which an arm without evidence does not have.
NOT_COPIED = ("granted", "seen", "stairs", "factors")


def _python_seconds(curves: Curves, arms: IntArray) -> float:
    """Estimate how long plain Python takes to settle arms, by curves and amounts with evidence."""
    amounts = 6.0 * arms.size + np.count_nonzero(curves.rows.rounds[arms])
    by_cell = 2.5e-6 if isinstance(curves, CountedCurves) else 3e-5 + 2e-6 * curves.rate.shape[1]
    return by_cell * amounts * curves.prior.weights.shape[1]


@partial(Entry, python_seconds=_python_seconds)
def _settle(curves: Any, arms: Any) -> None:
    for arm in arms:
        settle(curves, arm)


Rates = Sequence[float] | Sequence[tuple[float, float]]


def usual_rates(losses: str, sees: str) -> tuple[float, float]:
    """The prior of loss rates unless the user gives another."""
    return RATES_OF_FINDS if losses == "counts" and sees == "finds" else RATES[losses]


def checked_rates(rates: Rates | None, losses: str, sees: str) -> tuple[float, float] | Listed:
    """Check the prior of loss rates: two parameters, or rates with weights; None gives the default."""
    if rates is None:
        return usual_rates(losses, sees)
    if are_listed(rates) and losses == "binary":
        return checked_listed(cast(Listed, rates))
    pair = vector("rates", cast(Sequence[float], rates), "above 0", above=0.0)
    if pair.size != 2:
        raise InputError.of("rates", rates, "two numbers")
    return float(pair[0]), float(pair[1])


def checked_share(free: float) -> float:
    """Check the prior weight of the free curve."""
    return number("free", free, "a number from 0 up to 1", least=0.0, below=1.0)


def checked_thresholds(
    thresholds: Sequence[float | None] | None, arms: int | None = None
) -> tuple[float | None, ...] | None:
    """Check known thresholds; None where they are unknown."""
    if thresholds is None:
        return None
    listed = [math.nan if each is None else each for each in thresholds]
    checked = vector(
        "thresholds", listed, "above 0 and at most 1", length=arms, above=0.0, most=1.0, missing=True
    )
    return tuple(None if each != each else each for each in checked.tolist())


@functools.lru_cache(maxsize=4)
def _tables(family: Family, sees: str) -> tuple[FloatArray, FloatArray, SingleArray]:
    """The shares q, curves x amounts and twice amounts x curves; learners share them."""
    seen = family.remaining if sees == "losses" else np.maximum(1.0 - family.remaining, LEAST)
    seen_at = np.ascontiguousarray(seen.T)
    return np.ascontiguousarray(seen), seen_at, seen_at.astype(np.float32)


@functools.lru_cache(maxsize=4)
def _log_table(family: Family, sees: str) -> FloatArray:
    """The logarithms of the shares q, amounts x curves."""
    return np.log(_tables(family, sees)[1])


def curves_prior(
    family: Family,
    arms: int,
    *,
    sees: str,
    rates: tuple[float, float] | Listed,
    free: float,
    thresholds: Sequence[float | None] | None = None,
    precision: Precision = SIMULATING,
    keep: float = 1.0,
    counts: bool = False,
) -> Prior:
    """Make the prior of `arms` arms."""
    units = family.remaining.shape[1] - 1
    known = checked_thresholds(thresholds, arms)
    seen, seen_at, single_at = _tables(family, sees)
    listed, log_listed = listed_arrays(cast(Listed, rates)) if are_listed(rates) else (np.zeros(0),) * 2
    return Prior(
        seen=seen,
        seen_at=seen_at,
        single_at=single_at,
        log_seen_at=_log_table(family, sees) if counts else np.zeros((0, 0)),
        outlines=family.outlines,
        means=family.means,
        finds=sees == "finds",
        kinds=family.kinds,
        levels=family.levels,
        weights=family.for_arms(arms, known, units),
        by_kind=np.append((1.0 - free) * family.kind_weights, free),
        free=np.array([1.0 if each is None and free > 0.0 else 0.0 for each in known or [None] * arms]),
        shape=(1.0, 1.0) if listed.size else cast(tuple[float, float], rates),
        listed=listed,
        log_listed=log_listed,
        cut=precision.cut,
        drop=precision.drop,
        keep=keep,
    )


def _whole_seconds(curves: Situated) -> float:
    """Estimate how long plain Python takes to settle all arms in all situations."""
    arms = np.arange(curves.lines.rows.used.size)
    return 3.0 * _python_seconds(curves.lines, arms)


@partial(Entry, python_seconds=_whole_seconds)
def _consider(curves: Any) -> None:
    consider(curves)


def situated_given(prior: Prior, evidence: Evidence, nodes: int, likeness: float | None) -> Situated:
    """Compute the posterior in several situations, given evidence; amounts count as whole units."""
    counts, likeness = evidence.losses == "counts", math.inf if likeness is None else likeness
    curves = new_situated(prior, counts, nodes, evidence.situations, likeness)
    units = prior.seen.shape[1] - 1
    for lines, pooled, seen in zip(
        (curves.lines.rows.rounds, curves.lines.rows.events),
        (curves.pooled.rows.rounds, curves.pooled.rows.events),
        evidence.in_units(units),
        strict=True,
    ):
        lines[:] = seen.reshape(lines.shape)
        pooled[:] = seen.transpose(1, 0, 2).reshape(pooled.shape)
    rounds = curves.lines.rows.rounds
    curves.pooled.rows.granted[0] = (rounds @ np.arange(units + 1)).sum()
    _consider(curves)
    return curves


def curves_given(prior: Prior, evidence: Evidence, nodes: int = SIMULATING.nodes) -> Curves:
    """Compute the posterior, given evidence; amounts count as whole units."""
    curves = new_curves(prior, evidence.losses == "counts", nodes)
    units = prior.seen.shape[1] - 1
    rounds, events = evidence.in_units(units)
    curves.rows.rounds[:], curves.rows.events[:] = rounds, events
    curves.rows.granted[0] = (rounds @ np.arange(units + 1)).sum()
    unseen = np.flatnonzero(~curves.rows.rounds.any(axis=1) & (prior.weights == prior.weights[0]).all(axis=1))
    unseen = unseen[prior.free[unseen] == prior.free[0]]
    alone = np.ones(evidence.arms, np.bool_)
    alone[unseen[1:]] = False
    _settle(curves, np.flatnonzero(alone))
    if unseen.size > 1:  # arms without evidence are all alike
        for name, part in (curves.rows._asdict() | curves._asdict()).items():
            if isinstance(part, np.ndarray) and name not in NOT_COPIED:
                part[unseen[1:]] = part[unseen[0]]
    return curves
