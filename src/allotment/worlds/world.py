"""What a world must offer to be simulated: the protocol that a world of one's own follows."""

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
    """Severities where a world says nothing of them; for a dataclass with such a field it is no default."""

    def __get__(self, world: Any, kind: type) -> FloatArray:
        if world is None:
            raise AttributeError("severities")
        return np.ones(world.arms)


class World(ABC):
    """Arms that lose something, and a budget to split over them, round after round.

    A world of one's own is a frozen dataclass with `arms` and `budget`, as fields or properties, and with
    `severities` (what one loss costs at each arm) if they are not all 1. `environment` gives what is played:
    a NamedTuple for whose class an `observe` kernel is registered. `best` is what could be had in a round.
    Worlds whose `losses` are "counts", or which show "finds", say so. One that changes says from which rounds
    on, and what is best by round (`best_in`).
    """

    if TYPE_CHECKING:  # not at run time, where a dataclass would take a property for a field's default

        @property
        def arms(self) -> int:
            """K, the number of arms."""

        @property
        def budget(self) -> float:
            """Q, what can be granted in a round, in all."""

        @property
        def severities(self) -> FloatArray:
            """What one loss costs at each arm."""

        @property
        def sees(self) -> str:
            """What is shown of a round: "losses", what got through, or "finds", what was caught."""

        @property
        def losses(self) -> str:
            """Whether they are "binary", yes or no, or "counts"."""

    else:
        sees, losses, severities = "losses", "binary", _OneEach()

    @property
    def changes(self) -> tuple[int, ...]:
        """The rounds after the first from which on other numbers hold; none in most worlds."""
        return ()

    @property
    def thresholds(self) -> FloatArray:
        """What each arm must be granted, in worlds where there is such an amount."""
        raise NotApplicableError(
            f"{type(self).__name__} is not a world of steps, so it has no thresholds", what="thresholds"
        )

    def best_in(self, t: int) -> Optimum:
        """The best allocation in round t, counted from 1, and its expected loss: `best`, in most worlds."""
        best = getattr(self, "best", None)
        if best is None:
            raise InputError(f"{type(self).__name__} does not say what is best", "`best`, or `best_in`")
        return best

    @abstractmethod
    def environment(self) -> Any:
        """What one replication plays against, made anew: a NamedTuple with a registered `observe` kernel."""

    def in_short(self) -> str:
        """What it is in a few words; those in which it differs from the paper's world."""
        response = getattr(self, "response", None)
        kind = response.kind() if response is not None else "step"
        rounds = "round" if len(self.changes) == 1 else "rounds"
        words = {
            f"{kind} response": kind != "step",
            f"unit {getattr(self, 'unit', None)}": getattr(self, "unit", None) is not None,
            "counts": self.losses == "counts",
            "finds": self.sees == "finds",
            f"changes in {rounds} {', '.join(map(str, self.changes))}": bool(self.changes),
        }
        told = [f"{self.arms} arms", f"budget {self.budget:g}", *(word for word, so in words.items() if so)]
        return f"{type(self).__name__} of {', '.join(told)}"

    def __repr__(self) -> str:
        return f"<{self.in_short()}>"

    def _repr_html_(self) -> str:
        from allotment.worlds.world_html import world_html

        return world_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The world as plain data, by its fields."""
        if not is_dataclass(self):
            raise InputError(f"{type(self).__name__} cannot be written down", "a dataclass, or a to_dict")
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.init}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The world that `to_dict` described; files give lists where a frozen world has tuples."""
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
    """The world, if it is one."""
    if not isinstance(world, World):
        raise InputError.of("problem", world, "a Problem or another World")
    return world
