"""One policy in one environment, round after round: the loop that everything else waits for."""

import functools
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import Entry, kernel, summing_lanes
from allotment.compiling.user_kernels import is_of_package, is_ours
from allotment.errors import InfeasibleError, InputError, kernels_of, shown
from allotment.kernels.protocol import ask, tell
from allotment.policy import Policy
from allotment.streams import environment_stream, policy_stream
from allotment.tolerance import slack_of
from allotment.worlds.environment import observe
from allotment.worlds.feasibility import ROUNDING, feasible
from allotment.worlds.world import World

NONE, NOTHING = np.zeros(0, np.int64), np.zeros(0)  # no rounds to record, and no room for them
ROUNDED_REGRET = 1e-9  # how far regret may be below 0, for each loss of severity 1 that a round can have
AT_ONCE = 100_000  # uniform numbers of the world drawn in one go, which is cheaper than one by one


@kernel
def _careful_total(amounts: FloatArray) -> float:
    """The sum without the rounding that many small amounts pile up (Kahan's, as Neumaier mended it)."""
    total, lost = 0.0, 0.0
    for i in range(amounts.size):
        amount, after = amounts[i], total + amounts[i]
        lost += (total - after) + amount if abs(total) >= abs(amount) else (amount - after) + total
        total = after
    return total + lost


@summing_lanes
def _may_be_granted(allocation: FloatArray, most: float, room: float) -> bool:
    """Whether every grant is a number from 0 to `most`, and their sum within `room`."""
    wrong, total = 0, 0.0
    for i in range(allocation.size):
        grant = allocation[i]
        wrong += not (0.0 <= grant <= most)  # as is what is not a number
        total += grant
    return wrong == 0 and (total <= room or _careful_total(allocation) <= room)


@Entry
def rollout(  # type: ignore[no-untyped-def]
    state,
    environment,
    policy_rng,
    uniforms,
    first,
    regret,
    allocation,
    losses,
    most,
    room,
    least,
    rounds,
    path,
):
    """Play the rounds after `first`, as many as there are rows of uniforms.

    `path` gets the total regret after each of `rounds`; the regret at the end is returned, and how many
    rounds were played: fewer, if an allocation has a grant above `most`, adds up to more than `room`, or has
    a regret below `least`; then the regret of that round alone is returned.
    """
    next_record, played = 0, 0
    while next_record < rounds.size and rounds[next_record] <= first:
        next_record += 1
    for row in range(uniforms.shape[0]):
        t = first + row + 1
        ask(state, policy_rng, allocation)
        lost = observe(environment, uniforms[row], allocation, losses)
        regret += lost
        # Checked here, where it costs half of what it does before `observe`.
        if lost < least or not _may_be_granted(allocation, most, room):
            return lost, played
        tell(state, allocation, losses)
        if next_record < rounds.size and rounds[next_record] == t:
            path[next_record] = regret
            next_record += 1
        played += 1
    return regret, played


class Run:
    """One replication of a policy in a world, which can be advanced step by step."""

    def __init__(self, problem: World, policy: Policy, horizon: int, seed: int, replication: int) -> None:
        policy.check_world(problem)
        self.round = 0
        self.replication = replication
        self.regret = 0.0
        self.losses = np.zeros(problem.arms)
        self.learner = policy.start(
            problem.arms,
            problem.budget,
            seed=policy_stream(seed, replication),
            severities=problem.severities,
            horizon=horizon,
        )
        self._environment = problem.environment()
        user_names = [policy.label] if not is_ours(self.learner.state) else []
        user_names += [type(problem).__name__] if not is_ours(self._environment) else []
        self._whose = " in ".join(user_names)  # kernels may be at fault
        self._budget, self._world = problem.budget, type(problem).__name__
        slack = slack_of(min(problem.budget, float(problem.arms)))
        self._most, self._room = 1.0 + slack, problem.budget + ROUNDING * slack
        # The optimum of the package's worlds is exact; but for rounding, nothing can be better.
        exact = is_ours(self._environment) and is_of_package(type(problem))
        self._least = -np.inf if exact else -ROUNDED_REGRET * max(1.0, float(np.sum(problem.severities)))
        self._stream = environment_stream(seed, replication)

    @property
    def is_compiled(self) -> bool:
        """Whether it can be played at once, without compiling."""
        return rollout.is_compiled(self.kind)

    @functools.cached_property
    def kind(self) -> tuple[Any, ...]:
        """What has to be compiled for it: runs of the same kind share that. It takes milliseconds to tell."""
        with kernels_of(self._whose):
            return rollout.signature(*self._arguments(np.zeros((0, 0))), NONE, NOTHING)

    def _arguments(self, uniforms: FloatArray) -> tuple[Any, ...]:
        return (
            self.learner.state,
            self._environment,
            self.learner.stream,
            uniforms,
            self.round,
            self.regret,
            self.learner.allocation,
            self.losses,
            self._most,
            self._room,
            self._least,
        )

    def compile(self) -> None:
        """Compile what it takes to play it, or load it."""
        self.advance(self.round, NONE, NOTHING)

    def advance(self, last: int, rounds: IntArray, path: FloatArray) -> None:
        """Play on until round `last`, and record the regret at those of `rounds` that are passed."""
        at_once = max(1, AT_ONCE // self.losses.size)
        while True:
            uniforms = self._stream.random((min(at_once, last - self.round), self.losses.size))
            with kernels_of(self._whose):
                self.regret, played = rollout(*self._arguments(uniforms), rounds, path)
            self.round += played
            if played < len(uniforms):
                self._refuse()
            if self.round >= last:
                break

    def _refuse(self) -> None:
        """Say what is wrong with the allocation of the round after the last, or with its regret."""
        granted, label = self.learner.allocation, self.learner.policy.label
        when = f"in round {self.round + 1} of replication {self.replication}"
        reason = f"allocation adds up to more than the budget, {self._budget:.15g}"
        try:
            feasible(granted, granted.size, self._budget)
        except InputError as error:
            reason = str(error)
        else:
            if self.regret < self._least:
                raise InputError(
                    f"{self._world} gives {label} {when} a regret of {self.regret:.6g} for granting "
                    f"{shown(granted.round(6))}",
                    "none below 0, so a `best` of the world that no other allocation beats",
                    what="best",
                    value=self.regret,
                )
        with np.errstate(all="ignore"):
            total = float(granted.sum())
        raise InfeasibleError(
            f"{label} {when} granted {total:.15g} in all: {reason}",
            what="allocation",
            value=granted.tolist(),
        )
