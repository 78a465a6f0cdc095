"""Thompson sampling on (arm, amount) pairs: the plainest way to learn any response."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.kernels.bits import Bits, sow, unsown_bits
from allotment.kernels.laws import draw_beta
from allotment.kernels.protocol import reseed
from allotment.policies._pairs import PairPolicy, Pairs, estimate_pair
from allotment.policy import Setting


@dataclass(frozen=True)
class PairTs(PairPolicy):
    """Draw the chance of a loss at every (arm, amount) pair from its own Beta, and share out the budget.

    Nothing learnt at one amount tells of another, but with `monotone` that no grant makes things worse.
    """

    family = "TS on pairs"
    use = "As a baseline: any response, every amount learnt by itself."
    worlds = "any; losses or finds"

    def index(self, setting: Setting) -> "Drawn":
        """Draws."""
        return Drawn(unsown_bits())


class Drawn(NamedTuple):
    """An index that is drawn from the posterior Beta(1 + losses, 1 + quiet rounds)."""

    bits: Bits


@estimate_pair.register
def _estimate(index: Drawn, rng: Any, events: float, rounds: float, clock: int, finds: bool) -> float:
    return draw_beta(index.bits, 1.0 + events, 1.0 + max(0.0, rounds - events))


@reseed.register
def _reseed(state: Pairs, rng: np.random.Generator) -> None:
    reseed(state.index, rng)


@reseed.register
def _reseed_draws(index: Drawn, rng: np.random.Generator) -> None:
    sow(index.bits, rng)
