"""What is believed of whole response curves: for each arm, weights over curves and loss rates.

With r_h(a) the share of the loss rate μ that is left at amount a by curve h, what is seen at a happens with
chance μ·q_h(a): q = r where losses are seen, q = 1 - r where finds are. Evidence of S(a) such events and F(a)
quiet rounds at each amount gives

    P(h, μ | data) ∝ prior(h) · Beta(μ; α, β) · Π_a (μ·q_h(a))^S(a) · (1 - μ·q_h(a))^F(a),

for counts, of n(a) rounds with S incidents in all,

    P(h | data) ∝ prior(h) · Π_a q_h(a)^S(a) · (b + Σ_a q_h(a)·n(a))^-(a + S),
    λ | h, data ~ Gamma(a + S, rate b + Σ_a q_h(a)·n(a)).

Beside the family stands a free curve: every amount its own Beta(1, 1) (counts: Gamma(1, 1)), whose marginal
likelihood is closed form, so that the evidence decides when no curve of the family fits. Once an arm was seen
for long, it is made of stairs (`stairs.py`).

A row is one curve that is worth considering for an arm; curves of negligible weight have none. Where few are
left, finer curves take their place (`choosing.py`). For yes/no
losses a row holds the weights of rates at nodes that lie evenly in θ = log(-log(1 - μ)) around its posterior,
or at the rates that the prior lists (`listed_rates.py`).
Rows are made from the evidence alone (`settle`), and made anew when an arm has been seen several times as
long; in between, what comes in is multiplied in. Rows stand side by side, node after node, in single
precision: a report changes many rows in one instruction, and all of them stay near the processor.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray, SingleArray, lined_up
from allotment.policies.any_response.bench import Bench, new_bench
from allotment.policies.any_response.family import Levels


class Prior(NamedTuple):
    """What was thought beforehand, and how finely to look."""

    seen: FloatArray  # curves x amounts: the share of the loss rate that is seen there
    seen_at: FloatArray  # amounts x curves: the same, curves side by side
    single_at: SingleArray  # the same in single precision
    outlines: FloatArray  # of the last curves, where they are too many for these tables
    finds: bool  # whether finds are seen, and not losses
    kinds: IntArray  # by curve
    levels: Levels  # which curves are parts of which
    weights: FloatArray  # arms x coarse curves: within its kind; 0 for curves that an arm cannot have
    by_kind: FloatArray  # of every kind, the free curve last; sums to 1
    free: FloatArray  # by arm: 1 where the free curve may be true, 0 where it may not
    shape: tuple[float, float]  # of the loss rate: of a Beta, or of a Gamma
    listed: FloatArray  # the loss rates that there are, where they are listed; nodes then stay there
    log_listed: FloatArray  # the logarithms of their weights
    cut: float  # rows whose weight is e^-cut times the largest are negligible
    drop: float  # nodes reach to where a density has fallen by e^-drop
    keep: float  # the share of evidence that a round leaves; 1: all

    def __deepcopy__(self, memo: object) -> "Prior":
        """Copies of a learner share it: no round changes it, and its tables are large."""
        return self


class Rows(NamedTuple):
    """What was seen, and what is thought of the curves worth considering."""

    events: FloatArray  # arms x amounts: what was seen happening
    rounds: FloatArray  # arms x amounts
    due: FloatArray  # by arm: how many rounds until its rows are made anew
    granted: FloatArray  # one number: units, in all rounds so far
    used: IntArray  # by arm: how many rows it has
    curve: IntArray  # arms x rows; a row for every coarse curve, or fewer rows
    total: SingleArray  # arms x rows: the weight of a curve, prior within its kind included
    first: IntArray  # arms x (kinds + 1): where the rows of a kind begin
    by_kind: FloatArray  # arms x (kinds + 1): the weight of a kind, the free curve last; without its prior
    stairs: FloatArray  # arms x amounts x amounts: the weight of a stair, by where it ends and begins
    ways: FloatArray  # arms x (amounts + 1): of all ways to lay stairs below an amount; 0, …: there are none


class YesNoCurves(NamedTuple):
    """Beliefs where a round shows an event or none."""

    prior: Prior
    rows: Rows
    nodes: IntArray  # by arm: how many are used
    rate: SingleArray  # arms x nodes x rows
    weight: SingleArray  # arms x nodes x rows
    start: FloatArray  # arms x rows: θ of the first node,
    gap: FloatArray  # arms x rows: and from one node to the next
    seen: SingleArray  # scratch, by row: the share of the loss rate that is seen
    bench: Bench

    def carried_over(self) -> tuple[str, ...]:
        """What one replication may leave to the next: what no round changes, and scratch."""
        return ("prior", "seen", "bench")


class CountedCurves(NamedTuple):
    """Beliefs where events are counted."""

    prior: Prior
    rows: Rows
    exposure: FloatArray  # arms x rows: b + Σ q·n
    log_base: FloatArray  # arms x rows: the logarithm of all factors that no exposure is in
    bench: Bench

    def carried_over(self) -> tuple[str, ...]:
        """What one replication may leave to the next: what no round changes, and scratch."""
        return ("prior", "bench")


Curves = YesNoCurves | CountedCurves


def new_rows(arms: int, curves: int, kinds: int, amounts: int) -> Rows:
    """Rows of arms that nothing was seen of."""
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
        stairs=np.zeros((arms, amounts, amounts)),
        ways=np.zeros((arms, amounts + 1)),
    )


def new_curves(prior: Prior, counts: bool, nodes: int) -> Curves:
    """Beliefs without evidence; `settle_all` makes their rows."""
    (arms, curves), amounts = prior.weights.shape, prior.seen.shape[1]
    rows = new_rows(arms, curves, prior.by_kind.size - 1, amounts)
    nodes = prior.listed.size or nodes
    bench = new_bench(prior.levels.most, amounts)
    if counts:
        return CountedCurves(prior, rows, np.ones((arms, curves)), np.zeros((arms, curves)), bench)
    return YesNoCurves(
        prior,
        rows,
        nodes=np.zeros(arms, np.int64),
        rate=lined_up((arms, nodes, -curves % 16 + curves), np.float32),
        weight=lined_up((arms, nodes, -curves % 16 + curves), np.float32),
        start=np.zeros((arms, curves)),
        gap=np.zeros((arms, curves)),
        seen=lined_up((curves,), np.float32),
        bench=bench,
    )
