"""The rollout: one policy in one environment, round after round."""

import functools
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import Entry, kernel, summing_lanes
from allotment.compiling.user_kernels import is_of_package, is_ours
from allotment.compiling.vector_width import prefer_short_vectors
from allotment.errors import InfeasibleError, InputError, kernels_of, shown
from allotment.kernels.protocol import Findings, Reports, ask, enter, is_sound, report, tell
from allotment.policies.base.learner import unsound
from allotment.policies.base.policy import Policy
from allotment.randomness.luck import draw_luck, luck_of
from allotment.randomness.streams import environment_stream, policy_stream
from allotment.simulation.restarting import begin_again, no_restart, restartable
from allotment.tolerance import slack_of
from allotment.worlds.environment import observe, situation_of
from allotment.worlds.units import ROUNDING, feasible
from allotment.worlds.world import World

NONE, NOTHING = np.zeros(0, np.int64), np.zeros((1, 0))  # no rounds to record, and no room for them
ROUNDED_REGRET = 1e-9  # how far regret may be below 0, for each loss of severity 1 that a round can have


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
        wrong += not ((grant >= 0.0) & (grant <= most))  # as is what is not a number; no branch, for lanes
        total += grant
    return wrong == 0 and (total <= room or _careful_total(allocation) <= room)


class Rules(NamedTuple):
    """What holds for every round."""

    horizon: int
    most: float  # that an arm may be granted
    room: float  # for all grants together
    least: float  # regret of a round
    situated: bool  # whether the policy uses situations


REFUSED, UNSOUND = -1, -2  # instead of a number of rounds
REPLICATION, ROUND = range(
    2
)  # positions in `progress`: the replication that is played, and its rounds so far


@Entry
def rollout(  # type: ignore[no-untyped-def]
    state,
    environment,
    policy_rng,
    luck,
    restart,
    rules,
    progress,
    regret,
    allocation,
    uniforms,
    losses,
    rounds,
    paths,
    reports,
    turns,
):
    """Play on for `turns` rounds, or to the end of the last replication, and return how many were played.

    `paths` gets the total regret of every replication after each of `rounds`; `reports` what a state has to
    report at its end. The game ends before its time if an allocation may not be granted, or has less regret
    than it can have; then `regret` is that of this round alone, and REFUSED is returned. UNSOUND is returned
    if a state ends with beliefs that are no finite numbers.
    """
    prefer_short_vectors()
    played = 0
    while played < turns:
        if progress[ROUND] == rules.horizon:
            if progress[REPLICATION] + 1 == paths.shape[0]:
                break
            progress[REPLICATION] += 1
            progress[ROUND], regret[0] = 0, 0.0
            begin_again(restart, progress[REPLICATION], policy_rng)
        path, total, first, next_record = paths[progress[REPLICATION]], regret[0], progress[ROUND], 0
        while next_record < rounds.size and rounds[next_record] <= first:
            next_record += 1
        last = min(rules.horizon, first + turns - played)
        for t in range(first + 1, last + 1):
            if rules.situated:
                enter(state, situation_of(environment))
            ask(state, policy_rng, allocation)
            draw_luck(luck, uniforms)
            lost = observe(environment, uniforms, allocation, losses)
            total += lost
            # Checked here, where it costs half of what it does before `observe`.
            if lost < rules.least or not _may_be_granted(allocation, rules.most, rules.room):
                progress[ROUND], regret[0] = t - 1, lost
                return REFUSED
            tell(state, allocation, losses)
            if next_record < rounds.size and rounds[next_record] == t:
                path[next_record] = total
                next_record += 1
        progress[ROUND], regret[0] = last, total
        played += last - first
        if last == rules.horizon:
            row = progress[REPLICATION]
            report(state, reports.counts[row], reports.thresholds[row])
            if not is_sound(state):
                return UNSOUND
    return played


class Run:
    """Replications of a policy in a world, one after the other, which can be played step by step."""

    def __init__(
        self, problem: World, policy: Policy, horizon: int, seed: int, replications: int | range
    ) -> None:
        """Start the first replication.

        `replications` is one or several in a row. Where a state cannot be started again, `self.replications`
        is the first of them alone.
        """
        policy.check_world(problem)
        if isinstance(replications, int):
            replications = range(replications, replications + 1)
        self.losses, self._uniforms = np.zeros(problem.arms), np.zeros(problem.arms)
        self._progress, self._regret = np.zeros(2, np.int64), np.zeros(1)
        self.learner = policy.start(
            problem.arms,
            problem.budget,
            seed=policy_stream(seed, replications.start),
            severities=problem.severities,
            horizon=horizon,
        )
        self._environment = problem.environment()
        self._stream = environment_stream(seed, replications.start)
        self._luck = luck_of(self._environment, self._stream)
        user_names = [policy.label] if not is_ours(self.learner.state) else []
        user_names += [type(problem).__name__] if not is_ours(self._environment) else []
        self._whose = " in ".join(user_names)  # kernels may be at fault
        self._budget, self._world = problem.budget, type(problem).__name__
        slack = slack_of(min(problem.budget, float(problem.arms)))
        # The optimum of the package's worlds is exact; but for rounding, nothing can be better.
        exact = is_ours(self._environment) and is_of_package(type(problem))
        least = -np.inf if exact else -ROUNDED_REGRET * max(1.0, float(np.sum(problem.severities)))
        room, situated = problem.budget + ROUNDING * slack, policy.accepts.situations
        self._rules = Rules(horizon, 1.0 + slack, room, least, situated)
        self._restart = no_restart()
        self.replications = self._made_restartable(seed, replications)
        self._reports = Reports.blank(len(self.replications), problem.arms)

    def _made_restartable(self, seed: int, replications: range) -> range:
        """Get ready to play all of them, if that is possible, and return those that can be played."""
        if len(replications) == 1:
            return replications
        streams = (self._stream, self.learner.stream)
        made = restartable(self.learner.state, self._environment, streams, seed, replications)
        if made is None:
            return replications[:1]
        self.learner.state, self._environment, self._restart = made
        return replications

    @property
    def round(self) -> int:
        """How many rounds of the present replication have been played."""
        return int(self._progress[ROUND])

    @property
    def completed(self) -> int:
        """How many replications have been played to their end."""
        return int(self._progress[REPLICATION]) + (self.round == self._rules.horizon)

    @property
    def findings(self) -> Findings:
        """What there is to report of them."""
        return Reports(*(rows[: self.completed] for rows in self._reports)).findings()

    @property
    def is_compiled(self) -> bool:
        """Whether it can be played at once, without compiling."""
        return rollout.is_compiled(self.kind)

    @functools.cached_property
    def kind(self) -> tuple[Any, ...]:
        """What has to be compiled for it: runs of the same kind share that. It takes milliseconds to tell."""
        with kernels_of(self._whose):
            return rollout.signature(*self._arguments(NONE, NOTHING), 0)

    def _arguments(self, rounds: IntArray, paths: FloatArray) -> tuple[Any, ...]:
        return (
            self.learner.state,
            self._environment,
            self.learner.stream,
            self._luck,
            self._restart,
            self._rules,
            self._progress,
            self._regret,
            self.learner.allocation,
            self._uniforms,
            self.losses,
            rounds,
            paths,
            self._reports,
        )

    def compile(self) -> None:
        """Compile the rollout of this run, or load it."""
        self.play(0, NONE, NOTHING)

    def play(self, turns: int, rounds: IntArray, paths: FloatArray) -> int:
        """Play `turns` more rounds, or to the end; return the number of rounds played.

        Writes the regret at the recorded `rounds` on the way to the replication's row of `paths`.
        """
        with kernels_of(self._whose):
            played: int = rollout(*self._arguments(rounds, paths), turns)
        if played == REFUSED:
            self._refuse()
        if played == UNSOUND:
            raise unsound(self.learner.policy.label, f"at the end of {self._replication}")
        return played

    @property
    def _replication(self) -> str:
        return f"replication {self.replications[self._progress[REPLICATION]]}"

    def advance(self, last: int, rounds: IntArray, path: FloatArray) -> None:
        """Play a single replication on until round `last`, and record the regret at `rounds`."""
        self.play(last - self.round, rounds, path.reshape(1, -1))

    def _refuse(self) -> None:
        """Raise an error for the allocation of the next round, or for its regret."""
        granted, label = self.learner.allocation, self.learner.policy.label
        when = f"in round {self.round + 1} of {self._replication}"
        reason = f"allocation adds up to more than the budget, {self._budget:.15g}"
        try:
            feasible(granted, granted.size, self._budget)
        except InputError as error:
            reason = str(error)
        else:
            if self._regret[0] < self._rules.least:
                raise InputError(
                    f"{self._world} gives {label} {when} a regret of {self._regret[0]:.6g} for granting "
                    f"{shown(granted.round(6))}",
                    "none below 0, so a `best` of the world that no other allocation beats",
                    what="best",
                    value=self._regret[0],
                )
        with np.errstate(all="ignore"):
            total = float(granted.sum())
        raise InfeasibleError(
            f"{label} {when} granted {total:.15g} in all: {reason}",
            what="allocation",
            value=granted.tolist(),
        )
