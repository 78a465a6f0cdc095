"""One policy in one environment, round after round: the loop that everything else waits for."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling import Entry
from allotment.errors import InputError
from allotment.kernels.protocol import ask, tell
from allotment.oracles.knapsack.workspace import ExactKnapsack
from allotment.policy import Findings, Policy, Setting
from allotment.streams import environment_stream, policy_stream
from allotment.worlds.environment import environment_of, observe
from allotment.worlds.problem import Problem


@Entry
def rollout(  # type: ignore[no-untyped-def]
    state, environment, policy_rng, environment_rng, first, last, regret, allocation, losses, rounds, curve
):
    """Play the rounds after `first` up to `last`; `curve` gets the total regret after each of `rounds`."""
    next_record = 0
    while next_record < rounds.size and rounds[next_record] <= first:
        next_record += 1
    for t in range(first + 1, last + 1):
        ask(state, policy_rng, allocation)
        regret += observe(environment, environment_rng, allocation, losses)
        tell(state, allocation, losses)
        if next_record < rounds.size and rounds[next_record] == t:
            curve[next_record] = regret
            next_record += 1
    return regret


class Run:
    """One replication of a policy on a problem, which can be advanced step by step."""

    def __init__(self, problem: Problem, policy: Policy, horizon: int, seed: int, replication: int) -> None:
        if problem.losses == "counts" and not policy.counts:
            raise InputError(f"{policy.label} takes yes or no; the problem's losses are counts")
        self.policy = policy
        self.round = 0
        self.regret = 0.0
        self.allocation = np.zeros(problem.arms)
        self.losses = np.zeros(problem.arms)
        self._state = policy.state(Setting(problem.arms, problem.budget, problem.severities, horizon))
        self._environment = environment_of(problem)
        self._streams = policy_stream(seed, replication), environment_stream(seed, replication)

    def advance(self, last: int, rounds: IntArray, curve: FloatArray) -> None:
        """Play on until round `last`, and record the regret at those of `rounds` that are passed."""
        self.regret = rollout(
            self._state,
            self._environment,
            *self._streams,
            self.round,
            last,
            self.regret,
            self.allocation,
            self.losses,
            rounds,
            curve,
        )
        self.round = last

    @property
    def unproved(self) -> int | None:
        """How many knapsacks were left without a proof that their choice is best; None if none is solved."""
        counts = [oracle.unproved[0] for oracle in _knapsacks_in(self._state)]
        return int(sum(counts)) if counts else None

    @property
    def findings(self) -> Findings | None:
        """What a threshold search has come to so far."""
        return self.policy.findings(self._state)


def _knapsacks_in(state: Any) -> Iterator[ExactKnapsack]:
    """The exact oracles that a state, or a state within it, works with."""
    if isinstance(state, ExactKnapsack):
        yield state
    elif isinstance(state, tuple):
        for part in state:
            yield from _knapsacks_in(part)
