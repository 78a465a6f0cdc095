"""Worlds that change: one problem up to a round, another problem afterwards."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from allotment.checks import whole
from allotment.errors import ConflictError, InputError
from allotment.worlds.optimum import Optimum
from allotment.worlds.problem import Problem
from allotment.worlds.several_problems import SeveralProblems


@dataclass(frozen=True, init=False, repr=False)
class Changing(SeveralProblems):
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

    part, parts = "stage", "stages"

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
    def problems(self) -> tuple[Problem, ...]:
        """The problem of each stage."""
        return tuple(problem for _, problem in self.stages)

    @property
    def captions(self) -> tuple[str, ...]:
        """When each problem is played, in words."""
        return tuple(f"From round {start} on" for start, _ in self.stages)

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds in which another problem starts."""
        return tuple(start for start, _ in self.stages[1:])

    def best_in(self, t: int) -> Optimum:
        """The best allocation of round t."""
        return [problem for start, problem in self.stages if start <= max(t, 1)][-1].best

    def environment(self) -> Any:
        """Make the environment that one replication plays against."""
        from allotment.worlds.stages import staged

        return staged(self.stages)

    def to_dict(self) -> dict[str, Any]:
        """The world as plain data: the settings that all stages share, and the stages."""
        return self._as_parts(*({"from": start} for start, _ in self.stages))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make a world from the plain data that `to_dict` gives."""
        expected = "tables, each with the round in which it starts (from)"
        return cls(cls._read_parts(content, expected, extra="from"))


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
    Changing._check_alike(f"stages[{position}]", problem, first)
