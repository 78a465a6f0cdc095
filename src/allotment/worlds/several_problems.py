"""What worlds share that play each round in one of several problems."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.errors import ConflictError, InputError, NotApplicableError
from allotment.system.files import AnyPath
from allotment.worlds.problem import Problem
from allotment.worlds.world import World
from allotment.worlds.world_files import read_table, write_table

OWN = ("loss_rates", "thresholds", "response")  # may differ between problems
SHARED = ("arms", "budget", "severities", "names", "losses", "overdispersion", "sees", "unit")

Part = tuple[Any, Problem]  # what a part has beside its problem, and the problem


class SeveralProblems(World):
    """The base class of worlds whose rounds are each played in one of several problems.

    The problems differ in loss rates and response only.
    """

    part: ClassVar[str]  # the name for one of the problems: "stage"
    parts: ClassVar[str]  # where plain data lists them: "stages"

    if TYPE_CHECKING:  # not at run time, where a field could not replace a property

        @property
        def problems(self) -> tuple[Problem, ...]:
            """The problems."""

        @property
        def captions(self) -> tuple[str, ...]:
            """When each problem is played, in words."""

    @property
    def first(self) -> Problem:
        """The first problem."""
        return self.problems[0]

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return self.first.arms

    @property
    def budget(self) -> float:
        """Q, the same in every problem."""
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
    def thresholds(self) -> FloatArray:
        """The smallest grant that covers each arm, if all problems have the same."""
        found = self.first.thresholds
        if not all(np.array_equal(found, problem.thresholds) for problem in self.problems):
            raise NotApplicableError(
                f"the thresholds change from {self.part} to {self.part}, so this world has no fixed "
                "thresholds",
                what="thresholds",
            )
        return found

    def _as_parts(self, *own: Mapping[str, Any]) -> dict[str, Any]:
        """Plain data: the settings that all problems share, and each problem with data of its own."""
        shared = {key: value for key, value in self.first.to_dict().items() if key not in OWN}
        parts = [
            {**extra, **{key: value for key, value in problem.to_dict().items() if key in OWN}}
            for extra, problem in zip(own, self.problems, strict=True)
        ]
        return shared | {self.parts: parts}

    @classmethod
    def _read_parts(
        cls, content: Any, expected: str, *, extra: str, beside: tuple[str, ...] = ()
    ) -> list[Part]:
        """Read what `_as_parts` wrote: the value of each part under the key `extra`, and its problem.

        `beside` has the keys of the world that belong to no problem.
        """
        tables = content.get(cls.parts) if isinstance(content, Mapping) else None
        if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
            raise InputError.of(cls.parts, tables, expected)
        shared = {key: value for key, value in content.items() if key not in (cls.parts, *beside)}
        made: list[Part] = []
        for position, each in enumerate(tables):
            own = {key: value for key, value in each.items() if key != extra}
            try:
                made.append((each.get(extra), Problem.from_dict(shared | own)))
            except InputError as error:
                raise error.within(f"{cls.parts}[{position}]") from None
        return made

    @classmethod
    def _check_alike(cls, name: str, problem: Problem, first: Problem) -> None:
        """Raise an error if a problem differs from the first in anything but loss rates and response."""
        for what in SHARED:
            if not np.array_equal(getattr(problem, what), getattr(first, what)):
                raise ConflictError.of(
                    f"{what} of {name}",
                    getattr(problem, what),
                    f"the value of the first {cls.part}; only loss rates and response may differ",
                )

    @classmethod
    def load(cls, path: AnyPath) -> Self:
        """Read a world that `save` wrote, as `Problem.load` does.

        Parameters
        ----------
        path : str or path
            The file, in TOML or JSON.

        Returns
        -------
        World
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
