"""Worlds that change: one problem up to a round, another problem afterwards."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import whole
from allotment.errors import ConflictError, InputError, NotApplicableError
from allotment.files import AnyPath
from allotment.worlds.optimum import Optimum
from allotment.worlds.problem import Problem
from allotment.worlds.world import World
from allotment.worlds.world_files import read_table, write_table

OWN = ("loss_rates", "thresholds", "response")  # may differ between stages
SHARED = ("arms", "budget", "severities", "names", "losses", "sees", "unit")


@dataclass(frozen=True, init=False, repr=False)
class Changing(World):
    """A world that changes: several problems, each starting in a given round.

    The problems differ in loss rates and response only. Regret compares with the best allocation of each
    round.

    Parameters
    ----------
    stages : iterable of (int, Problem)
        The round in which each problem starts, and the problem. The first one starts in round 1.

    Raises
    ------
    InputError
        If there is no stage, or the first does not start in round 1.
    ConflictError
        If the rounds do not increase, or the problems differ in anything else.

    Examples
    --------
    >>> calm, busy = Problem([0.1, 0.2], 0.5, 0.5), Problem([0.6, 0.2], 0.5, 0.5)
    >>> world = Changing([(1, calm), (2001, busy)])
    >>> world.best_in(2000).covered.tolist(), world.best_in(2001).covered.tolist()
    ([False, True], [True, False])
    """

    stages: tuple[tuple[int, Problem], ...]

    def __init__(self, stages: Iterable[tuple[int, Problem]]) -> None:
        checked: list[tuple[int, Problem]] = []
        for position, stage in enumerate(stages if isinstance(stages, Iterable) else ()):
            checked.append(_checked_stage(f"stages[{position}]", stage))
            _check_order(position, checked)
        if not checked:
            raise InputError.of("stages", stages, "at least one (round, problem)")
        object.__setattr__(self, "stages", tuple(checked))

    @property
    def first(self) -> Problem:
        """The first stage's problem."""
        return self.stages[0][1]

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return self.first.arms

    @property
    def budget(self) -> float:
        """Q, the same in every stage."""
        return self.first.budget

    @property
    def severities(self) -> FloatArray:
        """The cost of one loss at each arm."""
        return self.first.severities

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self.first.names

    @property
    def losses(self) -> str:
        """ "binary" or "counts"."""
        return self.first.losses

    @property
    def sees(self) -> str:
        """ "losses" or "finds"."""
        return self.first.sees

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds in which another problem starts."""
        return tuple(start for start, _ in self.stages[1:])

    @property
    def thresholds(self) -> FloatArray:
        """The smallest grant that covers each arm, if all stages have the same."""
        found = self.first.thresholds
        if not all(np.array_equal(found, problem.thresholds) for _, problem in self.stages):
            raise NotApplicableError(
                "the thresholds change from stage to stage, so this world has no fixed thresholds",
                what="thresholds",
            )
        return found

    def best_in(self, t: int) -> Optimum:
        """The best allocation of round t."""
        return [problem for start, problem in self.stages if start <= max(t, 1)][-1].best

    def environment(self) -> Any:
        """Make the environment that one replication plays against."""
        from allotment.worlds.stages import staged

        return staged(self.stages)

    def to_dict(self) -> dict[str, Any]:
        """The world as plain data: the settings that all stages share, and the stages."""
        shared = {key: value for key, value in self.first.to_dict().items() if key not in OWN}
        stages = [
            {"from": start} | {key: value for key, value in problem.to_dict().items() if key in OWN}
            for start, problem in self.stages
        ]
        return shared | {"stages": stages}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make a world from the plain data that `to_dict` gives."""
        stages = content.get("stages") if isinstance(content, Mapping) else None
        if not isinstance(stages, list) or not all(isinstance(each, Mapping) for each in stages):
            raise InputError.of("stages", stages, "tables, each with the round in which it starts (from)")
        shared = {key: value for key, value in content.items() if key != "stages"}
        made = []
        for position, each in enumerate(stages):
            own = {key: value for key, value in each.items() if key != "from"}
            try:
                made.append((each.get("from"), Problem.from_dict(shared | own)))
            except InputError as error:
                raise error.within(f"stages[{position}]") from None
        return cls(made)

    @classmethod
    def load(cls, path: AnyPath) -> Self:
        """Read a world that `save` wrote, as `Problem.load` does.

        Parameters
        ----------
        path : str or path
            The file, in TOML or JSON.

        Returns
        -------
        Changing
            The world.
        """
        return read_table(path, cls.from_dict)

    def save(self, path: AnyPath) -> None:
        """Write the world to a file, as `Problem.save` does.

        Parameters
        ----------
        path : str or path
            The file: JSON if the name ends in .json, otherwise TOML.
        """
        write_table(path, self.to_dict())


def _checked_stage(name: str, stage: Any) -> tuple[int, Problem]:
    try:
        start, problem = stage
    except (TypeError, ValueError):
        raise InputError.of(name, stage, "(round, problem)") from None
    if not isinstance(problem, Problem):
        raise InputError.of(f"the problem of {name}", problem, "a Problem")
    return whole(f"the round of {name}", start, least=1), problem


def _check_order(position: int, stages: list[tuple[int, Problem]]) -> None:
    """Raise an error unless the last stage starts after its predecessor and matches the first."""
    start, problem = stages[-1]
    if position == 0:
        if start != 1:
            raise InputError.of("the round of stages[0]", start, "1, where it all starts")
        return
    before, first = stages[-2][0], stages[0][1]
    if start <= before:
        raise ConflictError.of(
            f"the round of stages[{position}]", start, f"more than {before}, the start of the stage before"
        )
    for what in SHARED:
        if not np.array_equal(getattr(problem, what), getattr(first, what)):
            raise ConflictError.of(
                f"{what} of stages[{position}]",
                getattr(problem, what),
                "the value of the first stage; only loss rates and response may change",
            )
