"""One replication in full: every grant and every loss of every round."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import whole
from allotment.errors import InputError, NotApplicableError
from allotment.markup import html_block
from allotment.plots.figures import WIDTH, small_picture
from allotment.plots.lanes import Lanes, draw_lanes
from allotment.policies.base.policy import Policy
from allotment.simulation.progress import Progress
from allotment.simulation.result_files import trace_columns
from allotment.simulation.rollout import Run
from allotment.simulation.run_memory import refuse_large_learner
from allotment.tables import arrow_table, pandas_frame
from allotment.worlds.in_words import arm_names
from allotment.worlds.world import World, checked_world

LARGEST = 2**27  # grants that a trace may hold: a gigabyte


@dataclass(frozen=True, eq=False)
class Trace:
    """The grants, losses and regret of one replication, round by round.

    Attributes
    ----------
    problem : World
        The world.
    policy : Policy
        The policy.
    allocations : FloatArray
        Rounds x arms: the grants.
    losses : FloatArray
        Rounds x arms: the number of losses (or finds) that each round showed.
    regret : FloatArray
        Cumulative regret after each round.
    """

    problem: World
    policy: Policy
    allocations: FloatArray
    losses: FloatArray
    regret: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms."""
        return tuple(arm_names(self.problem))

    def to_frame(self) -> Any:
        """Make a pandas data frame with one row per round and arm. Its regret is cumulative."""
        return pandas_frame(trace_columns(self))

    def to_arrow(self) -> Any:
        """Make an Arrow table with the rows of `to_frame`, for polars and others, without pandas."""
        return arrow_table(trace_columns(self))

    def plot(
        self,
        ax: Any = None,
        *,
        first: int = 1,
        last: int | None = None,
        title: str | None = None,
        width: float = WIDTH,
    ) -> Any:
        """Draw the grants in a lane for each arm, with losses marked below them.

        Dotted lines are thresholds. Beyond 300 rounds, each bar is a mean over several rounds.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. A new figure by default.
        first, last : int, optional
            The first and the last round to draw. All rounds by default.
        title : str, optional
            The title of the figure. The policy's label by default.
        width : float
            The width of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes or matplotlib.figure.Figure
            `ax` if it was given, otherwise the new figure.
        """
        horizon = len(self.regret)
        first = whole("first", first, least=1, most=horizon)
        last = horizon if last is None else whole("last", last, least=first, most=horizon)
        try:
            thresholds = self.problem.thresholds
        except NotApplicableError:
            thresholds = None
        lanes = Lanes(
            self.names,
            self.allocations[first - 1 : last],
            self.losses[first - 1 : last],
            first,
            thresholds,
            self.policy.label if title is None else title,
            self.problem.sees,
        )
        return draw_lanes(lanes, ax, width)

    def __repr__(self) -> str:
        return f"<Trace of {self.policy.label}: {self._in_short()}>"

    def _in_short(self) -> str:
        arms, seen = self.allocations.shape[1], f"{self.losses.sum():g} {self.problem.sees}"
        return f"{len(self.regret)} rounds, {arms} arms, {seen}, {self.regret[-1]:.1f} regret in all"

    def _repr_html_(self) -> str:
        title = f"{self.policy.label}: {self._in_short()}"
        return html_block(title, small_picture(self.plot, title))


def trace(problem: World, policy: Policy, *, horizon: int, seed: int, replication: int = 0) -> Trace:
    """Replay one replication of `simulate`, and keep every grant and every loss.

    Parameters
    ----------
    problem : World
        The world.
    policy : Policy
        The policy.
    horizon : int
        The number of rounds.
    seed : int
        The seed of the simulation.
    replication : int
        The replication, counted from 0.

    Returns
    -------
    Trace
        The replication in full.

    Raises
    ------
    InputError
        If a value is out of range, or the trace would not fit into memory.

    Examples
    --------
    >>> from allotment import EqualSplit, Problem
    >>> trace(Problem([0.5, 0.5], 1.0, 1.0), EqualSplit(), horizon=3, seed=1).allocations.tolist()
    [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    """
    horizon = whole("horizon", horizon, least=1)
    most = LARGEST // checked_world(problem).arms
    if horizon > most:
        raise InputError.of("horizon", horizon, f"at most {most}, since everything is kept in memory")
    if not isinstance(policy, Policy):
        raise InputError.of("policy", policy, "a policy")
    refuse_large_learner(problem, policy)
    run = Run(
        problem, policy, horizon, whole("seed", seed, least=0), whole("replication", replication, least=0)
    )
    rounds, regret = np.arange(1, horizon + 1), np.zeros(horizon)
    allocations, losses = np.zeros((horizon, problem.arms)), np.zeros((horizon, problem.arms))
    with Progress(horizon, text="replaying") as bar:
        for t in range(horizon):
            run.advance(t + 1, rounds[t : t + 1], regret[t : t + 1])
            allocations[t], losses[t] = run.learner.allocation, run.losses
            if t % 1000 == 0:
                bar.set(t)
    return Trace(problem, policy, allocations, losses, regret)
