"""Memory of AnyResponse: the scratch memory for settling one arm, and estimates of what response curves take.

The scratch memory is grouped by the step that uses it, and kernels get only what they use. Nothing in it
outlasts the settling of an arm. A part that is free again may serve another step; callers pass it by name.

The estimates are bytes, and upper bounds: memory is reserved whether or not the evidence fills it."""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.oracles.shares.size import sharing_bytes
from allotment.policies.any_response.curve_kinds import Sizes
from allotment.policies.any_response.tuning import READING, ROOM, SIMULATING
from allotment.system.memory import Memory


class SeenAmounts(NamedTuple):
    """The amounts with evidence of an arm, with their events and quiet rounds; `gather` writes them."""

    amounts: IntArray
    events: FloatArray
    quiet: FloatArray


class Candidates(NamedTuple):
    """Curves that an arm may have, side by side; `choose` moves the curves worth considering to the front."""

    curve: IntArray  # its number in the family
    stays: IntArray  # 1 if it is not divided any more
    shares: FloatArray  # amounts with evidence x candidates: the share q
    log_events: FloatArray  # Σ S·log q plus the log of the prior
    log_weight: FloatArray
    centre: FloatArray  # the peak of the density of θ; for counts, the exposure
    spread: FloatArray  # the width of that peak
    log_peak: FloatArray  # the log of the density at the peak


class Division(NamedTuple):
    """Curves that are divided into finer ones, which replace them among the candidates."""

    before: IntArray  # the curves before the division
    stayed: IntArray  # of them: 1 if it is not divided any more
    whole: IntArray  # by candidate: the curve of which it is a part
    height: FloatArray  # the log-likelihood of these curves, without the prior
    reach: FloatArray  # an upper bound of it within their range


class RateDensities(NamedTuple):
    """By candidate, the density of θ at one point; `log_densities` reads `theta` and writes the rest."""

    theta: FloatArray
    scale: FloatArray  # e^θ
    rate: FloatArray
    rest: FloatArray  # 1 - rate
    product: FloatArray  # the probability of a few quiet rounds
    log_density: FloatArray


class PeakSearch(NamedTuple):
    """By candidate, the slope of the density of θ, and brackets around its peak; scratch of `find_peaks`."""

    slope: FloatArray
    bend: FloatArray
    part: FloatArray
    low: FloatArray
    high: FloatArray


class Bench(NamedTuple):
    """All scratch memory."""

    seen: SeenAmounts
    candidates: Candidates
    division: Division
    densities: RateDensities
    search: PeakSearch

    def __deepcopy__(self, memo: object) -> "Bench":
        """A copy of a learner gets new scratch memory."""
        return new_bench(self.candidates.curve.size, self.seen.amounts.size)


def new_bench(curves: int, amounts: int) -> Bench:
    """Make scratch memory."""

    def rooms(count: int) -> list[FloatArray]:
        return [np.zeros(curves) for _ in range(count)]

    def which() -> IntArray:
        return np.zeros(curves, np.int64)

    return Bench(
        SeenAmounts(np.zeros(amounts, np.int64), np.zeros(amounts), np.zeros(amounts)),
        Candidates(which(), which(), np.zeros((amounts, curves)), *rooms(5)),
        Division(which(), which(), which(), *rooms(2)),
        RateDensities(*rooms(6)),
        PeakSearch(*rooms(5)),
    )


def own_sizes(curves: int) -> Sizes:
    """The sizes of a listed family, whose curves are not divided."""
    return Sizes(curves, curves, curves, curves, curves)


def table_bytes(sizes: Sizes, units: int, *, finds: bool, counts: bool) -> float:
    """The tables of a family, which all learners share."""
    tables = (3 if finds else 2) + counts
    in_tables = sizes.tabled * (units + 1.0) * (8 * tables + 4)
    means = 8 * sizes.curves if sizes.capped else 0
    return in_tables + 40 * sizes.curves + 24 * (sizes.curves - sizes.tabled) + means


def belief_bytes(
    sizes: Sizes, units: int, arms: int, *, counts: bool, nodes: int, situations: int = 1, learns: bool = True
) -> float:
    """The beliefs about arms, with the scratch memory to compute them.

    In several situations, there are lines for each arm and situation, and rows by arm for the amounts of all
    situations together. Beliefs about counts that learn keep a row for every curve.
    """
    amounts, padded = units + 1.0, -(-sizes.coarse // 16) * 16
    room = ROOM * sizes.coarse if counts and learns else 0
    many, most = room or sizes.coarse, sizes.most + room
    own = 52 * many if counts else 28 * many + 8 * nodes * padded
    rows = own + 16 * (sizes.kinds + 1) + 48
    scratch = 8 * 23 * most + (0 if counts else 4 * padded)
    stairs = 8 * amounts**2 + 8 * amounts
    by_arm = rows + (2 * stairs + 8 * amounts if counts else stairs) + 16 * amounts
    one = arms * (8 * sizes.coarse + situations * by_arm) + 8 * amounts * most + 24 * amounts + scratch
    if situations == 1:
        return one
    amounts *= situations
    joint = 12 * many + 8 * (sizes.kinds + 1) * (3 + situations)
    return one + arms * (rows + (32 if counts else 24) * amounts + joint) + 8 * (amounts + 1) * most + scratch


def posterior_bytes(sizes: Sizes, units: int, arms: int, *, counts: bool, situations: int = 1) -> float:
    """A posterior, with the probability of every curve and the expected losses."""
    expected = 8.0 * arms * (sizes.coarse + 1 + units + 1)
    nodes = READING.nodes
    beliefs = belief_bytes(
        sizes, units, arms, counts=counts, nodes=nodes, situations=situations, learns=False
    )
    return beliefs + expected


def learner_memory(
    sizes: Sizes,
    units: int,
    arms: int,
    *,
    counts: bool,
    finds: bool,
    nodes: int = SIMULATING.nodes,
    situations: int = 1,
) -> Memory:
    """Learners that draw whole response curves."""
    beliefs = belief_bytes(sizes, units, arms, counts=counts, nodes=nodes, situations=situations)
    each = beliefs + sharing_bytes(units, arms) + 8 * arms * (units + 1.0)
    return Memory(table_bytes(sizes, units, finds=finds, counts=counts), each)
