"""Beliefs about arms in several situations.

There are three models of what an arm has in common over situations. All arms follow the same one, which their
evidence chooses (`choosing.py`):

- POOLED: one curve h, and loss rates m·γ_c. The factors γ_c are the same for all arms, and the largest is 1.
- SHARED: one curve h, and independent loss rates μ_c. The weight of h is its prior times the product over
  situations of the marginal likelihood of their evidence.
- SEPARATE: a curve and a loss rate for each situation, as if each were an arm of its own.

In every model, the free curve has its own rates in each situation.

A line is an arm in one situation. The lines of a situation are beliefs as any learner has them: POOLED uses
their evidence and stairs alone, SEPARATE all of it. For SHARED, the lines of an arm have the same curves, and
`joint` holds the products of their weights. POOLED is computed as if each amount in each situation were an
amount of its own, which shows the share γ_c·q of the rate m.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray, SingleArray
from allotment.compiling.decorators import generic, kernel
from allotment.policies.any_response.beliefs import (
    CountedCurves,
    Prior,
    Rows,
    YesNoCurves,
    new_curves,
)
from allotment.policies.any_response.tuning import SUREST

POOLED, SHARED, SEPARATE = range(3)  # simpler models first
IN_COMMON = ("rates", "curve", "nothing")  # the models, in words


class Joint(NamedTuple):
    """The weights of curves that an arm has in all situations."""

    total: SingleArray  # arms x rows
    spare: FloatArray  # arms x rows: what makes the prior count once in a product over situations
    by_kind: FloatArray  # arms x (kinds + 1), the free curve last
    scale: FloatArray  # by arm: the factor from products to these weights
    surest: float  # the largest likelihood ratio of a situation, so that their product stays finite
    log_coarse: FloatArray  # arms x coarse curves: the log of their weights when models were weighed last
    kept: IntArray  # scratch: the curves worth considering
    products: FloatArray  # scratch by candidate
    log_prior: FloatArray  # scratch by candidate


class Cases(NamedTuple):
    """The evidence for each model: a case is an arm, and for SEPARATE an arm in one situation.

    Cases of POOLED come first, then SHARED, and then SEPARATE by situation.
    """

    by_kind: FloatArray  # cases x (kinds + 1): the marginal likelihood of each kind, the free curve last
    log_unit: FloatArray  # by case: the log of the unit of these numbers
    shares: FloatArray  # models x (kinds + 1): the shares of kinds that their cases teach
    steps: IntArray  # by model: the steps that have led to them, 0 before the first
    sums: FloatArray  # scratch, by kind


class Situated(NamedTuple):
    """Beliefs about arms in several situations."""

    lines: Any  # Curves: line c·arms + i is arm i in situation c
    pooled: Any  # Curves: an arm has the amounts of all situations, one situation after the other
    joint: Joint
    cases: Cases
    likeness: float  # the prior of the kinds counts as this many cases
    model: IntArray  # one number: the model of all arms
    now: IntArray  # one number: the situation at hand
    look: FloatArray  # by arm: rounds until its evidence is weighed again, while models are in doubt
    due: BoolArray  # by arm: whether its rows are to be computed
    sums: FloatArray  # scratch, 3 x situations

    @property
    def prior(self) -> Prior:
        """The prior of an arm in each situation."""
        return self.lines.prior


def new_situated(prior: Prior, counts: bool, nodes: int, situations: int, likeness: float) -> Situated:
    """Make beliefs without evidence."""
    lines = new_curves(prior, counts, nodes, times=situations)
    pooled = new_curves(prior, counts, nodes, situations=situations)
    arms, rows = prior.weights.shape[0], lines.rows.curve.shape[1]
    candidates = lines.bench.candidates.curve.size
    joint = Joint(
        np.zeros((arms, rows), np.float32),
        np.zeros((arms, rows)),
        np.zeros((arms, prior.by_kind.size)),
        np.ones(arms),
        math.exp(SUREST / situations),
        np.zeros(prior.weights.shape),
        np.zeros(rows, np.int64),
        np.zeros(candidates),
        np.zeros(candidates),
    )
    return Situated(
        lines,
        pooled,
        joint,
        Cases(
            np.zeros(((2 + situations) * arms, prior.by_kind.size)),
            np.zeros((2 + situations) * arms),
            np.tile(prior.by_kind, (3, 1)),
            np.zeros(3, np.int64),
            np.zeros(prior.by_kind.size),
        ),
        likeness,
        model=np.zeros(1, np.int64),
        now=np.zeros(1, np.int64),
        look=np.zeros(arms),
        due=np.ones(arms, np.bool_),
        sums=np.zeros((3, situations)),
    )


@kernel
def _rows_between(rows: Rows, first: int, end: int) -> Rows:
    return Rows(
        rows.events[first:end],
        rows.rounds[first:end],
        rows.due[first:end],
        rows.granted,
        rows.used[first:end],
        rows.curve[first:end],
        rows.total[first:end],
        rows.first[first:end],
        rows.by_kind[first:end],
        rows.stairs[first:end],
        rows.ways[first:end],
        rows.factors,
    )


@generic
def _lines_between(curves: Any, first: int, end: int) -> Any:
    """Some of the lines; they share their memory with the others."""
    raise NotImplementedError


@_lines_between.register
def _yes_no_between(curves: YesNoCurves, first: int, end: int) -> YesNoCurves:
    return YesNoCurves(
        curves.prior,
        _rows_between(curves.rows, first, end),
        curves.nodes[first:end],
        curves.rate[first:end],
        curves.weight[first:end],
        curves.start[first:end],
        curves.gap[first:end],
        curves.room[first:end],
        curves.seen,
        curves.bench,
    )


@_lines_between.register
def _counted_between(curves: CountedCurves, first: int, end: int) -> CountedCurves:
    return CountedCurves(
        curves.prior,
        _rows_between(curves.rows, first, end),
        curves.exposure[first:end],
        curves.log_prior[first:end],
        curves.log_events[first:end],
        curves.log_weight[first:end],
        curves.log_before[first:end],
        curves.log_tries[first:end],
        curves.log_unit[first:end],
        curves.log_free[first:end],
        curves.log_stairs[first:end],
        curves.log_ways[first:end],
        curves.bench,
    )


@kernel
def in_situation(curves: Situated, situation: int) -> Any:
    """The lines of a situation, by arm."""
    arms = curves.due.size
    return _lines_between(curves.lines, situation * arms, (situation + 1) * arms)


@kernel
def situations_of(curves: Situated) -> int:
    """The number of situations."""
    return curves.sums.shape[1]
