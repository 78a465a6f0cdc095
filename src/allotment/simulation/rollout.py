"""One policy in one environment, round after round: the loop that everything else waits for."""

from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling import Entry
from allotment.kernels.protocol import ask, tell
from allotment.policy import Policy
from allotment.streams import environment_stream, policy_stream
from allotment.worlds.environment import environment_of, observe
from allotment.worlds.problem import Problem

NONE, NOTHING = np.zeros(0, np.int64), np.zeros(0)  # no rounds to record, and no room for them
AT_ONCE = 100_000  # uniform numbers of the world drawn in one go, which is cheaper than one by one


@Entry
def rollout(  # type: ignore[no-untyped-def]
    state, environment, policy_rng, uniforms, first, regret, allocation, losses, rounds, curve
):
    """Play the rounds after `first`, as many as there are rows of uniforms.

    `curve` gets the total regret after each of `rounds`; the regret at the end is returned.
    """
    next_record = 0
    while next_record < rounds.size and rounds[next_record] <= first:
        next_record += 1
    for row in range(uniforms.shape[0]):
        t = first + row + 1
        ask(state, policy_rng, allocation)
        regret += observe(environment, uniforms[row], allocation, losses)
        tell(state, allocation, losses)
        if next_record < rounds.size and rounds[next_record] == t:
            curve[next_record] = regret
            next_record += 1
    return regret


class Run:
    """One replication of a policy on a problem, which can be advanced step by step."""

    def __init__(self, problem: Problem, policy: Policy, horizon: int, seed: int, replication: int) -> None:
        policy.check_kind("losses", problem.losses, "the problem")
        self.round = 0
        self.regret = 0.0
        self.losses = np.zeros(problem.arms)
        self.learner = policy.start(
            problem.arms,
            problem.budget,
            seed=policy_stream(seed, replication),
            severities=problem.severities,
            horizon=horizon,
        )
        self._environment = environment_of(problem)
        self._stream = environment_stream(seed, replication)

    @property
    def is_compiled(self) -> bool:
        """Whether it can be played at once, without compiling."""
        return rollout.is_compiled(*self._arguments(np.zeros((0, 0))), NONE, NOTHING)

    @property
    def kind(self) -> object:
        """What has to be compiled for it: runs of the same kind share that."""
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
        )

    def advance(self, last: int, rounds: IntArray, curve: FloatArray) -> None:
        """Play on until round `last`, and record the regret at those of `rounds` that are passed."""
        at_once = max(1, AT_ONCE // self.losses.size)
        while True:
            uniforms = self._stream.random((min(at_once, last - self.round), self.losses.size))
            self.regret = rollout(*self._arguments(uniforms), rounds, curve)
            self.round += len(uniforms)
            if self.round >= last:
                break
