"""Worlds with situations: each round is of a kind that is known beforehand, such as weekday or weekend."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from allotment.checks import whole
from allotment.errors import ConflictError, InputError
from allotment.worlds.optimum import Optimum
from allotment.worlds.problem import Problem
from allotment.worlds.problem_checks import checked_names
from allotment.worlds.several_problems import SeveralProblems


@dataclass(frozen=True, init=False, repr=False)
class Situations(SeveralProblems):
    """A world with several situations: a problem for each, and a calendar that repeats.

    Round t is played in problem `calendar[(t - 1) % len(calendar)]`. A policy that uses situations is told
    which before it decides. The problems differ in loss rates and response only. Regret compares with the
    best allocation of each situation.

    Parameters
    ----------
    problems : iterable of Problem
        The problem of each situation.
    calendar : iterable of int
        The situations of successive rounds, counted from 0. Each situation occurs at least once.
    situation_names : iterable of str, optional
        The names of the situations. Defaults to their numbers.

    Raises
    ------
    InputError
        If there is no problem, or the calendar does not list the situations by their numbers.
    ConflictError
        If the problems differ in anything but loss rates and response, or a situation never occurs.

    Examples
    --------
    >>> weekday, weekend = Problem([0.1, 0.2], 0.5, 0.5), Problem([0.6, 0.2], 0.5, 0.5)
    >>> world = Situations([weekday, weekend], calendar=[0, 0, 0, 0, 0, 1, 1])
    >>> world.situation_in(5), world.situation_in(6), world.situation_in(8)
    (0, 1, 0)
    >>> world.best_in(5).covered.tolist(), world.best_in(6).covered.tolist()
    ([False, True], [True, False])
    """

    part, parts = "situation", "situations"

    problems: tuple[Problem, ...]
    calendar: tuple[int, ...]
    situation_names: tuple[str, ...]

    def __init__(
        self,
        problems: Iterable[Problem],
        calendar: Iterable[int],
        situation_names: Iterable[str] | None = None,
    ) -> None:
        checked = tuple(problems) if isinstance(problems, Iterable) else ()
        for position, problem in enumerate(checked):
            if not isinstance(problem, Problem):
                raise InputError.of(f"problems[{position}]", problem, "a Problem")
            self._check_alike(f"problems[{position}]", problem, checked[0])
        if not checked:
            raise InputError.of("problems", problems, "at least one Problem")
        fields: dict[str, Any] = {
            "problems": checked,
            "calendar": _checked_calendar(calendar, len(checked)),
            "situation_names": _numbers(len(checked))
            if situation_names is None
            else checked_names(situation_names, len(checked), what="situation_names", of="situation"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def situations(self) -> int:
        """The number of situations."""
        return len(self.problems)

    @property
    def captions(self) -> tuple[str, ...]:
        """When each problem is played, in words."""
        return tuple(
            f"In situation {name} ({self.calendar.count(situation)} of {len(self.calendar)} rounds)"
            for situation, name in enumerate(self.situation_names)
        )

    def situation_in(self, t: int) -> int:
        """The situation of round t."""
        return self.calendar[(t - 1) % len(self.calendar)]

    def best_of(self, situation: int) -> Optimum:
        """The best allocation of a situation."""
        return self.problems[situation].best

    def environment(self) -> Any:
        """Make the environment that one replication plays against."""
        from allotment.worlds.stages import situated

        return situated(self.problems, self.calendar)

    def to_dict(self) -> dict[str, Any]:
        """The world as plain data: the settings that all situations share, the calendar, the situations."""
        named = self.situation_names != _numbers(self.situations)
        own = [{"name": name} if named else {} for name in self.situation_names]
        return {"calendar": list(self.calendar), **self._as_parts(*own)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make a world from the plain data that `to_dict` gives."""
        parts = cls._read_parts(content, "tables, one for each situation", extra="name", beside=("calendar",))
        if "calendar" not in content:
            raise InputError("a world with situations needs calendar, which is missing", what="calendar")
        names, problems = [name for name, _ in parts], [problem for _, problem in parts]
        named = any(name is not None for name in names)
        return cls(problems, content["calendar"], names if named else None)


def _numbers(situations: int) -> tuple[str, ...]:
    return tuple(str(situation) for situation in range(situations))


def _checked_calendar(calendar: Any, situations: int) -> tuple[int, ...]:
    listed = (
        tuple(calendar) if isinstance(calendar, Iterable) and not isinstance(calendar, str | Mapping) else ()
    )
    if not listed:
        raise InputError.of("calendar", calendar, "the situation of each round, by its number")
    for position, situation in enumerate(listed):
        name = f"calendar[{position}]"
        if whole(name, situation, least=0) >= situations:
            raise InputError.of(name, situation, f"a situation from 0 to {situations - 1}")
    for situation in range(situations):
        if situation not in listed:
            raise ConflictError.of("calendar", list(listed), f"situation {situation} to occur at least once")
    return tuple(int(situation) for situation in listed)
