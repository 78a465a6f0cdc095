"""The states of Joint: its fixed rule, its beliefs, and buffers for a round's draws."""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.policies.joint.threshold_beliefs import Beliefs
from allotment.randomness.bits import Bits, unsown_bits


class Rule(NamedTuple):
    """The parameters of the rule, which no round changes."""

    trust: float
    optimistic: bool
    spend: bool
    opening: float  # its length, in budgets
    curiosity: float


class Draws(NamedTuple):
    """The random generator, and buffers for this round's draws and decisions, by arm."""

    bits: Bits
    uniform: FloatArray  # one number: decides whether thresholds are on the grid
    quantiles: FloatArray  # of the drawn thresholds
    rates: FloatArray  # as drawn
    first: FloatArray  # parameters of the rates' distributions
    second: FloatArray
    stakes: FloatArray  # severity x loss rate, as drawn
    wanted: FloatArray  # thresholds as drawn
    chosen: BoolArray
    covered: IntArray  # the number of candidates that the grant covers
    reach: FloatArray  # how far it reaches into the cell of the last one; 1: to its end
    place: IntArray  # the candidate drawn as the threshold
    share: FloatArray  # how far up its cell the threshold was drawn; 1: the candidate itself
    stays: BoolArray  # arms whose grants the rest of the budget does not raise
    within: BoolArray  # arms that would be chosen if thresholds lay inside their cells, as drawn
    on_grid: BoolArray  # one: whether thresholds are on the grid, as drawn
    finer: BoolArray  # one: whether they may be anywhere, as drawn
    probing: BoolArray  # one: whether a probe of one arm tests the grid


class Raises(NamedTuple):
    """Buffers for the values of raises, by arm."""

    told: FloatArray  # arms x candidates: the information of a grant; filled in the opening
    target: IntArray  # the best raise: the number of candidates that it would cover
    reach: FloatArray  # how far it reaches into the cell of the last one
    worth: FloatArray  # its value per unit


class JointState(NamedTuple):
    """The state if each arm has its own threshold."""

    beliefs: Beliefs
    rule: Rule
    severities: FloatArray
    budget: float
    slack: float
    oracle: Any
    draws: Draws
    raises: Raises


class SharedJointState(NamedTuple):
    """The state if all arms share one threshold."""

    beliefs: Beliefs
    rule: Rule
    severities: FloatArray
    places: IntArray  # the number of arms that the budget covers at each candidate
    draws: Draws
    order: IntArray  # scratch


def new_draws(arms: int) -> Draws:
    """Make buffers for a round's draws."""
    return Draws(
        bits=unsown_bits(),
        uniform=np.zeros(1),
        quantiles=np.zeros(arms),
        rates=np.zeros(arms),
        first=np.ones(arms),
        second=np.ones(arms),
        stakes=np.zeros(arms),
        wanted=np.zeros(arms),
        chosen=np.zeros(arms, np.bool_),
        covered=np.zeros(arms, np.int64),
        reach=np.ones(arms),
        place=np.zeros(arms, np.int64),
        share=np.ones(arms),
        stays=np.zeros(arms, np.bool_),
        within=np.zeros(arms, np.bool_),
        on_grid=np.zeros(1, np.bool_),
        finer=np.zeros(1, np.bool_),
        probing=np.zeros(1, np.bool_),
    )


def new_raises(arms: int, levels: int) -> Raises:
    """Make buffers for a round's raises."""
    return Raises(np.zeros((arms, levels)), np.zeros(arms, np.int64), np.ones(arms), np.zeros(arms))
