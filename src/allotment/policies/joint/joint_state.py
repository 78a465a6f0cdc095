"""The states of Joint: its rule, which no round changes, what it believes, and room for a round's draws."""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.kernels.bits import Bits, unsown_bits
from allotment.policies.joint.threshold_beliefs import Beliefs


class Rule(NamedTuple):
    """How to decide: settings, which no round changes."""

    trust: float
    optimistic: bool
    spend: bool
    opening: float  # budgets to be granted
    curiosity: float


class Draws(NamedTuple):
    """What draws are made of, and buffers: what was drawn and decided this round, by arm."""

    bits: Bits
    uniform: FloatArray  # one number, which decides whether thresholds are on the grid
    quantiles: FloatArray  # of the drawn thresholds
    rates: FloatArray  # as drawn
    first: FloatArray  # parameters of a law
    second: FloatArray
    stakes: FloatArray  # severity x loss rate, as drawn
    wanted: FloatArray  # thresholds as drawn
    chosen: BoolArray
    covered: IntArray  # how many candidates the grant covers
    reach: FloatArray  # how far it reaches into the cell of the last of them: 1 is all of it
    place: IntArray  # which candidate was drawn as the threshold
    share: FloatArray  # how far up its cell, in whole parts: 1 is the candidate itself
    stays: BoolArray  # which arms are not raised with what is left
    within: BoolArray  # which arms would be chosen if thresholds were there, inside their cells
    on_grid: BoolArray  # one: whether thresholds are drawn to be on the grid
    finer: BoolArray  # one: whether they are drawn to be anywhere
    probing: BoolArray  # one: whether it is probed on one arm that they are not on the grid


class Raises(NamedTuple):
    """Buffers: what raising a grant would bring, by arm."""

    told: FloatArray  # arms x candidates: what a grant would tell about the threshold; filled in the opening
    target: IntArray  # the best raise: how many candidates it would cover
    reach: FloatArray  # how far into the cell of the last of them
    worth: FloatArray  # what that raise is worth per unit


class JointState(NamedTuple):
    """State where each arm has its own threshold."""

    beliefs: Beliefs
    rule: Rule
    severities: FloatArray
    budget: float
    slack: float
    oracle: Any
    draws: Draws
    raises: Raises


class SharedJointState(NamedTuple):
    """State where one threshold holds for all arms."""

    beliefs: Beliefs
    rule: Rule
    severities: FloatArray
    places: IntArray  # how many arms the budget covers at each candidate
    draws: Draws
    order: IntArray  # scratch


def new_draws(arms: int) -> Draws:
    """Room for a round's draws."""
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
    """Room for a round's raises."""
    return Raises(np.zeros((arms, levels)), np.zeros(arms, np.int64), np.ones(arms), np.zeros(arms))
