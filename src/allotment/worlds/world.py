"""The protocol of a world that can be simulated, for the package's worlds and for your own."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.errors import InputError, NotApplicableError, shown
from allotment.worlds.optimum import Optimum

SEES = ("losses", "finds")  # what is shown of a round: what got through, or what was caught
KINDS = ("binary", "counts")  # whether something is lost, or how often


class _OneEach:
    """The default severities, 1 each. A dataclass does not take this descriptor for a default."""

    def __get__(self, world: Any, kind: type) -> FloatArray:
        if world is None:
            raise AttributeError("severities")
        return np.ones(world.arms)


class World(ABC):
    """The base class of everything that can be simulated: arms with losses, and a budget to split each round.

    To write your own world, make a frozen dataclass with `arms` and `budget` as fields or properties. Define:

    - `environment`, which returns a NamedTuple with a registered `observe` kernel;
    - `best`, the best allocation, or `best_in` and `changes` if the world changes;
    - `severities`, `losses` and `sees`, where they differ from 1, "binary" and "losses";
    - `situations`, `situation_in` and `best_of`, and a `situation_of` kernel of the environment, if rounds
      have situations that are known beforehand.

    docs/how-to/your-own-world.md shows how. `check_world` checks the result.
    """

    if TYPE_CHECKING:  # not at run time, where a dataclass would take a property for a field's default

        @property
        def arms(self) -> int:
            """K, the number of arms."""

        @property
        def budget(self) -> float:
            """Q, the amount to split in a round."""

        @property
        def severities(self) -> FloatArray:
            """The cost of one loss at each arm."""

        @property
        def sees(self) -> str:
            """Whether a round shows "losses" that happened, or "finds", the incidents prevented."""

        @property
        def losses(self) -> str:
            """ "binary" for at most one loss per arm and round, or "counts"."""

    else:
        sees, losses, severities = "losses", "binary", _OneEach()

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds, after the first, in which the world changes. Most worlds never do."""
        return ()

    @property
    def situations(self) -> int:
        """The number of situations that rounds can have. Most worlds have one."""
        return 1

    @property
    def thresholds(self) -> FloatArray:
        """The smallest grant that covers each arm, in worlds of steps."""
        raise NotApplicableError(
            f"{type(self).__name__} is not a world of steps, so it has no thresholds", what="thresholds"
        )

    def situation_in(self, t: int) -> int:
        """The situation of a round, in worlds that have several.

        Parameters
        ----------
        t : int
            The round, counted from 1.

        Returns
        -------
        int
            The situation, counted from 0.
        """
        return 0

    def best_of(self, situation: int) -> Optimum:
        """The best allocation of a situation, and its expected cost. Most worlds return `best`.

        Parameters
        ----------
        situation : int
            The situation, counted from 0.

        Returns
        -------
        Optimum
            The best allocation.

        Raises
        ------
        InputError
            If the world does not define what is best.
        """
        best = getattr(self, "best", None)
        if best is None:
            raise InputError(f"{type(self).__name__} does not say what is best", "`best`, or `best_in`")
        return best

    def best_in(self, t: int) -> Optimum:
        """The best allocation of a round, and its expected cost. Only worlds that change define it.

        Parameters
        ----------
        t : int
            The round, counted from 1.

        Returns
        -------
        Optimum
            The best allocation.

        Raises
        ------
        InputError
            If the world does not define what is best.
        """
        return self.best_of(self.situation_in(t))

    @abstractmethod
    def environment(self) -> Any:
        """Make the environment that one replication plays against: a NamedTuple with an `observe` kernel."""

    def in_short(self) -> str:
        """Describe the world in a few words, naming what differs from the paper's world."""
        response = getattr(self, "response", None)
        kind = response.kind() if response is not None else "step"
        overdispersion = getattr(self, "overdispersion", 0.0)
        rounds = "round" if len(self.changes) == 1 else "rounds"
        words = {
            f"{kind} response": kind != "step",
            f"unit {getattr(self, 'unit', None)}": getattr(self, "unit", None) is not None,
            "counts": self.losses == "counts",
            f"overdispersion {overdispersion:g}": overdispersion > 0.0,
            "finds": self.sees == "finds",
            f"changes in {rounds} {', '.join(map(str, self.changes))}": bool(self.changes),
            f"{self.situations} situations": self.situations > 1,
        }
        told = [f"{self.arms} arms", f"budget {self.budget:g}", *(word for word, so in words.items() if so)]
        return f"{type(self).__name__} of {', '.join(told)}"

    def __repr__(self) -> str:
        return f"<{self.in_short()}>"

    def _repr_html_(self) -> str:
        from allotment.worlds.in_words import world_html

        return world_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The world as plain data, by its fields."""
        if not is_dataclass(self):
            raise InputError(f"{type(self).__name__} cannot be written down", "a dataclass, or a to_dict")
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.init}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make a world from the plain data that `to_dict` gives; lists become tuples.

        Parameters
        ----------
        content : mapping
            The fields by name.

        Returns
        -------
        World
            The world.

        Raises
        ------
        InputError
            If the class cannot be made from this content.
        """
        try:
            return cls(**{name: _fixed(value) for name, value in content.items()})
        except TypeError as error:
            raise InputError(f"cannot make {cls.__name__} of {shown(dict(content))}: {error}") from None


def _plain(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _fixed(value: Any) -> Any:
    return tuple(_fixed(each) for each in value) if isinstance(value, list) else value


def checked_world(world: Any) -> World:
    """Return the argument if it is a world; raise an error otherwise."""
    if not isinstance(world, World):
        raise InputError.of("problem", world, "a Problem or another World")
    return world
