"""Responses: how much of an arm's loss rate remains at an amount.

r(a) = leak + (1 - leak) · shape(a), with shape(0) = 1 and never rising. The leak, a share of the loss rate,
is what no grant prevents.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import per_arm, vector
from allotment.errors import InputError, NotFoundError, shown
from allotment.tolerance import RELATIVE, covers

PerArm = float | Sequence[float]  # one number for all arms, or one for each
RANGES: dict[str, Any] = {  # what each parameter may be
    "thresholds": {"expected": "above 0 and at most 1", "above": 0.0, "most": 1.0},
    "full": {"expected": "above 0", "above": 0.0},
    "scale": {"expected": "above 0", "above": 0.0},
    "middle": {"expected": "of at least 0", "least": 0.0},
    "width": {"expected": "above 0", "above": 0.0},
    "leak": {"expected": "from 0 to 1", "least": 0.0, "most": 1.0},
}


@dataclass(frozen=True)
class Response(ABC):
    """How much of the loss rate remains at each amount; a parameter is one number for all arms, or a list."""

    def __post_init__(self) -> None:
        """Keep every parameter as a number or a tuple of numbers."""
        for name in self.parameters():
            value = getattr(self, name)
            checked = vector(name, per_arm(value, 1), **RANGES[name]).tolist()
            object.__setattr__(self, name, tuple(checked) if np.ndim(value) else checked[0])

    @classmethod
    def kind(cls) -> str:
        """What it is called in files: "step", "linear" and so on."""
        return cls.__name__.lower()

    def check_arms(self, arms: int) -> None:
        """Raise an error unless every list has a number for each arm."""
        for name in self.parameters():
            value = getattr(self, name)
            if isinstance(value, tuple):
                vector(name, value, "", length=arms)

    @abstractmethod
    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """The share of each loss rate that remains; the last axis of `amounts` goes over arms."""

    def table(self, arms: int, units: int, slack: float) -> FloatArray:
        """What remains of each arm's rate at 0, 1, … units, where so many units are a full grant."""
        columns = self.remaining(np.arange(units + 1)[:, np.newaxis] / units, slack)
        return np.ascontiguousarray(np.broadcast_to(columns, (units + 1, arms)).T)

    def to_dict(self) -> dict[str, Any]:
        """The response as plain data."""
        return {"kind": self.kind()} | {each.name: _listed(getattr(self, each.name)) for each in fields(self)}

    @staticmethod
    def from_dict(content: Any) -> "Response":
        """The response that `to_dict` described."""
        known = {each.kind(): each for each in RESPONSES}
        if not isinstance(content, Mapping) or "kind" not in content:
            raise InputError.of("response", content, f"a table with a kind, one of {', '.join(known)}")
        name = content["kind"]
        if not isinstance(name, str) or name not in known:
            raise NotFoundError.of("the response's kind", name, f"one of {', '.join(known)}")
        given = {key: value for key, value in content.items() if key != "kind"}
        return known[name]._of(given)

    @classmethod
    def parameters(cls) -> dict[str, bool]:
        """The parameters by name, and whether each is needed."""
        return {each.name: each.default is MISSING for each in fields(cls)}

    @classmethod
    def _of(cls, given: Mapping[str, Any]) -> Self:
        parameters = cls.parameters()
        for name in given:
            if name not in parameters:
                raise NotFoundError(
                    f"the {cls.kind()} response has no {shown(name)}",
                    ", ".join(parameters),
                    what="response",
                    value=name,
                )
        for name, needed in parameters.items():
            if needed and name not in given:
                raise InputError(f"the {cls.kind()} response needs {name}, which is missing", what=name)
        return cls(**given)


@dataclass(frozen=True)
class Step(Response):
    """Nothing but the leak remains from the threshold on; below it, everything: the paper's world."""

    thresholds: PerArm
    leak: PerArm = 0.0

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """All below the threshold, the leak from there on."""
        reached = covers(np.asarray(amounts), np.asarray(self.thresholds), slack)
        return np.where(reached, np.asarray(self.leak), 1.0)


@dataclass(frozen=True)
class Linear(Response):
    """Falls evenly to the leak at `full`: shape(a) = max(0, 1 - a / full)."""

    full: PerArm
    leak: PerArm = 0.0

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """What is missing to a full grant."""
        with np.errstate(over="ignore"):
            return _leaking(self.leak, np.maximum(0.0, 1.0 - np.asarray(amounts) / self.full))


@dataclass(frozen=True)
class Exponential(Response):
    """Falls by the same share with every further grant: shape(a) = exp(-a / scale).

    It is what a step is on average whose threshold is drawn anew in each round, exponentially with this mean.
    """

    scale: PerArm
    leak: PerArm = 0.0

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """What each further grant leaves."""
        with np.errstate(over="ignore", under="ignore"):
            return _leaking(self.leak, np.exp(-np.asarray(amounts) / self.scale))


@dataclass(frozen=True)
class Logistic(Response):
    """A soft threshold: shape(a) = σ((middle - a)/width) / σ(middle/width), with σ(x) = 1/(1 + e^-x)."""

    middle: PerArm
    width: PerArm
    leak: PerArm = 0.0

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """By logarithms, in which nothing overflows."""
        middle, width = np.asarray(self.middle), np.asarray(self.width)
        with np.errstate(over="ignore", under="ignore"):
            log = np.logaddexp(0.0, -middle / width)
            return _leaking(
                self.leak, np.exp(log - np.logaddexp(0.0, (np.asarray(amounts) - middle) / width))
            )


@dataclass(frozen=True, init=False)
class Piecewise(Response):
    """What remains at some amounts, the first of them 0, with straight lines between; level after the last.

    `remaining` has one row for all arms, or one for each.
    """

    amounts: tuple[float, ...]
    levels: tuple[Any, ...]  # what remains at them

    def __init__(self, amounts: ArrayLike, remaining: Any) -> None:
        points = vector("amounts", amounts, "from 0 to 1", least=0.0, most=1.0)
        if points[0] != 0.0:
            raise InputError.of("amounts[0]", points[0], "0")
        if (np.diff(points) <= 0.0).any():
            raise InputError.of("amounts", points, "numbers that increase")
        nested = isinstance(remaining, Sequence | np.ndarray) and len(remaining) > 0 and np.ndim(remaining[0])
        rows = [
            _falling(f"remaining[{i}]" if nested else "remaining", row, points.size)
            for i, row in enumerate(remaining if nested else [remaining])
        ]
        object.__setattr__(self, "amounts", tuple(points.tolist()))
        object.__setattr__(self, "levels", tuple(rows) if nested else rows[0])

    def check_arms(self, arms: int) -> None:
        """Raise an error unless there is one row, or one for each arm."""
        rows = len(self.levels) if isinstance(self.levels[0], tuple) else arms
        if rows != arms:
            raise InputError(
                f"remaining has {rows} rows", f"{arms}, one for each arm, or one for all", what="remaining"
            )

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """Straight lines between what is given."""
        points, levels = np.array(self.amounts), np.atleast_2d(np.array(self.levels))
        if points.size == 1:
            return np.ones(np.shape(amounts))
        granted = np.minimum(np.asarray(amounts, np.float64), points[-1])
        above = np.clip(np.searchsorted(points, granted, side="right"), 1, points.size - 1)
        arm = np.arange(len(levels)) if len(levels) > 1 else 0
        share = (granted - points[above - 1]) / (points[above] - points[above - 1])
        return (1.0 - share) * levels[arm, above - 1] + share * levels[arm, above]

    def to_dict(self) -> dict[str, Any]:
        """The response as plain data."""
        return {"kind": self.kind(), "amounts": _listed(self.amounts), "remaining": _listed(self.levels)}

    @classmethod
    def parameters(cls) -> dict[str, bool]:
        """Both are needed."""
        return {"amounts": True, "remaining": True}


RESPONSES = (Step, Linear, Exponential, Logistic, Piecewise)


def _falling(name: str, row: Any, length: int) -> tuple[float, ...]:
    """What remains at each amount: from 1 downwards."""
    levels = vector(name, row, "from 0 to 1", least=0.0, most=1.0)
    if levels.size != length:
        raise InputError(
            f"{name} has {levels.size} numbers",
            f"{length}, one for each amount",
            what=name,
            value=levels.size,
        )
    if levels[0] != 1.0:
        raise InputError.of(f"{name}[0]", levels[0], "1, since nothing is prevented where nothing is granted")
    if (np.diff(levels) > 0.0).any():
        raise InputError.of(name, levels, "numbers that never rise")
    return tuple(levels.tolist())


def _leaking(leak: PerArm, shape: FloatArray) -> FloatArray:
    """leak + (1 - leak) · shape, written so that it is 1 where the shape is 1 and the leak where it is 0."""
    return shape + np.asarray(leak) * (1.0 - shape)


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value
