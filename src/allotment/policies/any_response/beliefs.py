"""The posterior of whole response curves: for each arm, weights over curves and loss rates.

Curve h leaves the share r_h(a) of the loss rate μ at amount a. A round at a shows an event with probability
μ·q_h(a), where q = r for losses and q = 1 - r for finds. With S(a) events and F(a) quiet rounds at each
amount,

    P(h, μ | data) ∝ prior(h) · Beta(μ; α, β) · Π_a (μ·q_h(a))^S(a) · (1 - μ·q_h(a))^F(a).

For counts, with n(a) rounds and S incidents in all,

    P(h | data) ∝ prior(h) · Π_a q_h(a)^S(a) · (b + Σ_a q_h(a)·n(a))^-(a + S),
    λ | h, data ~ Gamma(a + S, rate b + Σ_a q_h(a)·n(a)).

Capped curves are an exception: every unit finds one incident at most, where a Poisson number with mean m
happens. Each unit of a round then counts as a try that finds something with the same probability
p = E[min(u, N)] / u. So with u units, n rounds and S finds have the likelihood of S out of n·u tries. To be
comparable with Poisson numbers, it is divided by n^S / S!:

    P(m | data) ∝ prior(m) · Π_u p_m(u)^S(u) · (1 - p_m(u))^F(u) · (n(u)·u)! / F(u)! / n(u)^S(u)

with F(u) = n(u)·u - S(u).

High counts make weights too large or too small for any number. So for counts, all sums are logarithms in
double precision (`counted.py`).

Beside the family there is a free curve: every amount has its own Beta(1, 1) (for counts, Gamma(1, 1)). Its
marginal likelihood has a closed form, so the evidence decides whether no curve of the family fits. After many
rounds of an arm, its free curve is made of stairs (`stairs.py`).

A row is one curve worth considering for an arm; curves of negligible weight have no row. Learners of counts
keep a row for every curve, since one report of a high count can make any curve likely. Where few are likely,
finer curves replace them (`choosing.py`). For yes/no losses, a row holds the weights of loss rates at nodes.
These are evenly spaced in θ = log(-log(1 - μ)) around the row's posterior, or are the rates that the prior
lists (`listed_rates.py`). `settle` computes rows from the evidence alone. It does so again whenever an arm's
rounds have grown severalfold; in between, each report is multiplied in. Rows are stored side by side, node
after node, in single precision. So one instruction updates many rows, and all of them stay in the processor's
cache.
"""

import math
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray, SingleArray, lined_up
from allotment.policies.any_response.bench import Bench, new_bench
from allotment.policies.any_response.family import Levels
from allotment.policies.any_response.tuning import ROOM


class Prior(NamedTuple):
    """The prior, and the precision of the computation."""

    seen: FloatArray  # curves x amounts: the share q of the loss rate that shows
    seen_at: FloatArray  # amounts x curves: the same, curves side by side
    single_at: SingleArray  # the same in single precision
    log_seen_at: FloatArray  # the logarithms of the same for counts; empty for yes/no losses
    outlines: FloatArray  # parameters of the last curves, which are too many for the tables
    means: (
        FloatArray  # by curve: the mean count of capped curves, which are the last kind; empty without these
    )
    finds: bool  # whether a round shows finds, not losses
    kinds: IntArray  # by curve
    levels: Levels  # which curves are parts of which
    weights: FloatArray  # arms x coarse curves: within its kind; 0 for curves that an arm cannot have
    by_kind: FloatArray  # the weight of every kind, the free curve last; sums to 1
    free: FloatArray  # by arm: 1 where the free curve may be true, 0 where it may not
    shape: tuple[float, float]  # the parameters of the loss rate's Beta or Gamma
    listed: FloatArray  # the listed loss rates, if any; nodes then stay there
    log_listed: FloatArray  # the logarithms of their weights
    cut: float  # rows with a weight below e^-cut times the largest are negligible
    drop: float  # nodes reach to the point where a density has fallen by e^-drop
    keep: float  # the share of evidence that remains after a round; 1: all

    def __deepcopy__(self, memo: object) -> "Prior":
        """Copies of a learner share it: no round changes it, and its tables are large."""
        return self


class Rows(NamedTuple):
    """The evidence, and the weights of the curves worth considering."""

    events: FloatArray  # arms x amounts
    rounds: FloatArray  # arms x amounts
    due: FloatArray  # by arm: rounds until its rows are computed again
    granted: FloatArray  # one number: the units granted in all rounds so far
    used: IntArray  # by arm: the number of its rows
    curve: IntArray  # arms x rows; a row for every coarse curve, or fewer rows
    total: SingleArray  # arms x rows: the weight of a curve, prior within its kind included
    first: IntArray  # arms x (kinds + 1): the first row of each kind
    by_kind: FloatArray  # arms x (kinds + 1): the weight of a kind, the free curve last; without its prior
    stairs: FloatArray  # arms x amounts x amounts: the weight of a stair, by its end and beginning
    ways: FloatArray  # arms x (amounts + 1): the weight of all ways below an amount; 0 without stairs
    factors: FloatArray  # by situation: its loss rates relative to the highest; empty with one situation


class YesNoCurves(NamedTuple):
    """Beliefs if a round shows an event or none."""

    prior: Prior
    rows: Rows
    nodes: IntArray  # by arm: the number of nodes in use
    rate: SingleArray  # arms x nodes x rows
    weight: SingleArray  # arms x nodes x rows
    start: FloatArray  # arms x rows: θ of the first node
    gap: FloatArray  # arms x rows: the distance of nodes in θ
    room: FloatArray  # by arm: events that its rows may take in until they are computed again
    seen: SingleArray  # scratch, by row: the share q
    bench: Bench

    def carried_over(self) -> tuple[str, ...]:
        """The fields that replications share: the prior, and scratch memory."""
        return ("prior", "seen", "bench")


class CountedCurves(NamedTuple):
    """Beliefs if events are counted."""

    prior: Prior
    rows: Rows
    exposure: FloatArray  # arms x rows: b + Σ q·n
    log_prior: FloatArray  # arms x rows: the logarithm of a curve's prior within its kind
    log_events: FloatArray  # arms x rows: Σ S·log q
    log_weight: FloatArray  # arms x rows: the logarithm of a row's weight
    log_before: FloatArray  # arms x rows: the logarithm of a row's probability when curves were chosen
    log_tries: FloatArray  # arms x amounts: the logarithm of the factor that all capped rows share
    log_unit: FloatArray  # by arm: the logarithm of the factor that all other rows share
    log_free: FloatArray  # by arm: the logarithm of the free curve's weight
    log_stairs: FloatArray  # arms x amounts x amounts: the logarithm of the weight of a stair
    log_ways: FloatArray  # arms x (amounts + 1): the logarithm of the weight of all ways below an amount
    bench: Bench

    def carried_over(self) -> tuple[str, ...]:
        """The fields that replications share: the prior, and scratch memory."""
        return ("prior", "bench")


Curves = YesNoCurves | CountedCurves


def new_rows(arms: int, curves: int, kinds: int, amounts: int, situations: int = 0) -> Rows:
    """Make rows for arms without evidence; with situations, an arm has all amounts in each of them."""
    stairs = amounts
    if situations > 0:
        amounts, stairs = situations * amounts, 0
    return Rows(
        events=np.zeros((arms, amounts)),
        rounds=np.zeros((arms, amounts)),
        due=np.zeros(arms),
        granted=np.zeros(1),
        used=np.zeros(arms, np.int64),
        curve=np.zeros((arms, curves), np.int64),
        total=np.zeros((arms, curves), np.float32),
        first=np.zeros((arms, kinds + 1), np.int64),
        by_kind=np.zeros((arms, kinds + 1)),
        stairs=np.zeros((arms, stairs, stairs)),
        ways=np.zeros((arms, stairs + 1)),
        factors=np.ones(situations),
    )


def new_curves(prior: Prior, counts: bool, nodes: int, *, times: int = 1, situations: int = 0) -> Curves:
    """Make beliefs without evidence, each arm `times` times; `settle` computes their rows."""
    (arms, curves), amounts = prior.weights.shape, prior.seen.shape[1]
    arms *= times
    most = prior.levels.most
    if counts and prior.cut == math.inf:  # unlikely curves stay beside the parts of others
        curves, most = ROOM * curves, most + ROOM * curves
    rows = new_rows(arms, curves, prior.by_kind.size - 1, amounts, situations)
    nodes = prior.listed.size or nodes
    bench = new_bench(most, rows.rounds.shape[1])
    if counts:
        return CountedCurves(
            prior,
            rows,
            exposure=np.ones((arms, curves)),
            log_prior=np.zeros((arms, curves)),
            log_events=np.zeros((arms, curves)),
            log_weight=np.zeros((arms, curves)),
            log_before=np.zeros((arms, curves)),
            log_tries=np.zeros(rows.rounds.shape),
            log_unit=np.zeros(arms),
            log_free=np.zeros(arms),
            log_stairs=np.zeros(rows.stairs.shape),
            log_ways=np.zeros(rows.ways.shape),
            bench=bench,
        )
    return YesNoCurves(
        prior,
        rows,
        nodes=np.zeros(arms, np.int64),
        rate=lined_up((arms, nodes, -curves % 16 + curves), np.float32),
        weight=lined_up((arms, nodes, -curves % 16 + curves), np.float32),
        start=np.zeros((arms, curves)),
        gap=np.zeros((arms, curves)),
        room=np.full(arms, np.inf),
        seen=lined_up((curves,), np.float32),
        bench=bench,
    )
