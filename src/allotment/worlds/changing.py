"""Worlds that change: one problem up to some round, another from there on."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import whole
from allotment.errors import ConflictError, InputError, NotApplicableError
from allotment.worlds.optimum import Optimum
from allotment.worlds.problem import Problem
from allotment.worlds.world import World
from allotment.worlds.world_files import read_table, write_table

OWN = ("loss_rates", "thresholds", "response")  # what each stage has for itself
SHARED = ("arms", "budget", "severities", "names", "losses", "sees", "unit")


@dataclass(frozen=True, init=False, repr=False)
class Changing(World):
    """Problems that follow one another, each from some round on; they differ in loss rates and response only.

    Regret is against the best of the moment.

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
        """What one loss costs at each arm."""
        return self.first.severities

    @property
    def names(self) -> tuple[str, ...]:
        """The arms by name."""
        return self.first.names

    @property
    def losses(self) -> str:
        """Whether they are "binary" or "counts"."""
        return self.first.losses

    @property
    def sees(self) -> str:
        """Whether "losses" are seen or "finds"."""
        return self.first.sees

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds from which on another problem holds."""
        return tuple(start for start, _ in self.stages[1:])

    @property
    def thresholds(self) -> FloatArray:
        """What each arm must be granted, if that stays the same."""
        found = self.first.thresholds
        if not all(np.array_equal(found, problem.thresholds) for _, problem in self.stages):
            raise NotApplicableError("the thresholds change here, so none can be told", what="thresholds")
        return found

    def best_in(self, t: int) -> Optimum:
        """The best of the moment."""
        return [problem for start, problem in self.stages if start <= max(t, 1)][-1].best

    def environment(self) -> Any:
        """What one replication plays against."""
        from allotment.worlds.stages import staged

        return staged(self.stages)

    def to_dict(self) -> dict[str, Any]:
        """The world as plain data: what all stages share, and the stages."""
        shared = {key: value for key, value in self.first.to_dict().items() if key not in OWN}
        stages = [
            {"from": start} | {key: value for key, value in problem.to_dict().items() if key in OWN}
            for start, problem in self.stages
        ]
        return shared | {"stages": stages}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The world that `to_dict` described."""
        stages = content.get("stages") if isinstance(content, Mapping) else None
        if not isinstance(stages, list) or not all(isinstance(each, Mapping) for each in stages):
            raise InputError.of("stages", stages, "tables that each say from which round on they hold")
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
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read it from a TOML file, or from a JSON file if its name ends in .json."""
        content = read_table(path)
        try:
            return cls.from_dict(content)
        except InputError as error:
            raise error.within(os.fspath(path)) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as TOML, or as JSON if the name ends in .json; `load` gives it back exactly."""
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
    """The last stage must follow the one before, and be of the same kind as the first."""
    start, problem = stages[-1]
    if position == 0:
        if start != 1:
            raise InputError.of("the round of stages[0]", start, "1, where it all starts")
        return
    before, first = stages[-2][0], stages[0][1]
    if start <= before:
        raise ConflictError.of(
            f"the round of stages[{position}]", start, f"more than {before}, the one before"
        )
    for what in SHARED:
        if not np.array_equal(getattr(problem, what), getattr(first, what)):
            raise ConflictError.of(
                f"{what} of stages[{position}]",
                getattr(problem, what),
                "what it is in the first stage, since only loss rates and response may change",
            )
