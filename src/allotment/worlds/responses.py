"""Response curves: the share of an arm's loss rate that remains at an amount.

r(a) = leak + (1 - leak) · shape(a), where shape(0) = 1 and shape never rises. The leak is the share of losses
that remains under full cover.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import per_arm, vector
from allotment.errors import InputError, NotApplicableError, NotFoundError, shown
from allotment.tolerance import RELATIVE, covers

TINY = 1e-300  # a loss rate above 0 that is as good as 0
POINTS = 6  # of a piecewise response that is drawn
NEGLIGIBLE = 1e-12  # overdispersion times mean: with less, counts are Poisson
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
    """The share of the loss rate that remains, by amount.

    Each parameter of a response is one number for all arms, or a list with a number for each arm.
    """

    in_words: ClassVar[str] = "The loss rate falls as the response says."

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """Draw a response that prevents most losses at the amounts in `levels`.

        Parameters
        ----------
        levels : FloatArray
            An amount for each arm.
        leak : float
            The share of losses that remains under full cover.
        stream : numpy.random.Generator
            What is drawn from.

        Returns
        -------
        Response
            The response.

        Raises
        ------
        NotApplicableError
            If the class does not say how.
        """
        raise NotApplicableError(f"{cls.__name__} does not say how to draw one", "a response of the package")

    def __post_init__(self) -> None:
        """Keep every parameter as a number or a tuple of numbers."""
        for name in self.parameters():
            value = getattr(self, name)
            checked = vector(name, per_arm(value, 1), **RANGES[name]).tolist()
            object.__setattr__(self, name, tuple(checked) if np.ndim(value) else checked[0])

    @classmethod
    def kind(cls) -> str:
        """The name of the response in files: "step", "linear" and so on."""
        return cls.__name__.lower()

    def check_arms(self, arms: int) -> None:
        """Raise an error unless each list has a number for every arm.

        Parameters
        ----------
        arms : int
            The number of arms.

        Raises
        ------
        InputError
            If a list has another length.
        """
        for name in self.parameters():
            value = getattr(self, name)
            if isinstance(value, tuple):
                vector(name, value, "", length=arms)

    @abstractmethod
    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """Compute the share of each loss rate that remains.

        Parameters
        ----------
        amounts : array_like
            Grants; the last axis goes over arms.
        slack : float
            By how much a grant may fall short of a threshold and still cover the arm.

        Returns
        -------
        FloatArray
            The remaining shares, from 0 to 1.
        """

    def table(self, arms: int, units: int, slack: float) -> FloatArray:
        """Tabulate the share that remains at each number of units.

        Parameters
        ----------
        arms : int
            The number of arms.
        units : int
            The number of units in a full grant of 1.
        slack : float
            By how much a grant may fall short of a threshold and still cover the arm.

        Returns
        -------
        FloatArray
            A row for each arm, with a column for 0, 1, …, `units` units.
        """
        columns = self.remaining(np.arange(units + 1)[:, np.newaxis] / units, slack)
        return np.ascontiguousarray(np.broadcast_to(columns, (units + 1, arms)).T)

    def to_dict(self) -> dict[str, Any]:
        """The response as plain data."""
        return {"kind": self.kind()} | {each.name: _listed(getattr(self, each.name)) for each in fields(self)}

    @staticmethod
    def from_dict(content: Any) -> "Response":
        """Make a response from the plain data that `to_dict` gives.

        Parameters
        ----------
        content : mapping
            The kind of response and its parameters.

        Returns
        -------
        Response
            The response.

        Raises
        ------
        InputError
            If the content is no response.
        """
        if not isinstance(content, Mapping) or "kind" not in content:
            raise InputError.of("response", content, f"a table with a kind, one of {', '.join(RESPONSES)}")
        name = content["kind"]
        if not isinstance(name, str) or name not in RESPONSES:
            raise NotFoundError.of("the response's kind", name, f"one of {', '.join(RESPONSES)}")
        given = {key: value for key, value in content.items() if key != "kind"}
        return RESPONSES[name]._of(given)

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
    """A step: a grant prevents everything but the leak once it reaches the threshold (the paper's world).

    Parameters
    ----------
    thresholds : float or sequence of float
        The smallest grant that covers an arm, above 0 and at most 1.
    leak : float or sequence of float
        The share of losses that remains under full cover.

    Examples
    --------
    >>> Step([0.5, 0.8], leak=0.1).remaining([0.6, 0.6]).tolist()
    [0.1, 1.0]
    """

    in_words: ClassVar = "Each arm has a threshold: a grant that reaches it prevents everything but the leak."
    thresholds: PerArm
    leak: PerArm = 0.0

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """The thresholds are the levels."""
        return cls(levels.tolist(), leak)

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """1 below the threshold, the leak at the threshold and above."""
        reached = covers(np.asarray(amounts), np.asarray(self.thresholds), slack)
        return np.where(reached, np.asarray(self.leak), 1.0)


@dataclass(frozen=True)
class Linear(Response):
    """A straight line down to the leak: shape(a) = max(0, 1 - a / full).

    Parameters
    ----------
    full : float or sequence of float
        The amount at which only the leak remains.
    leak : float or sequence of float
        The share of losses that remains under full cover.

    Examples
    --------
    >>> Linear(0.8).remaining([0.2, 0.8]).tolist()
    [0.75, 0.0]
    """

    in_words: ClassVar = "The loss rate falls in proportion to the amount, down to the leak."
    full: PerArm
    leak: PerArm = 0.0

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """Only the leak remains at the levels."""
        return cls(levels.tolist(), leak)

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """The remaining share falls in proportion to the grant."""
        with np.errstate(over="ignore"):
            return _leaking(self.leak, np.maximum(0.0, 1.0 - np.asarray(amounts) / self.full))


@dataclass(frozen=True)
class Exponential(Response):
    """Every further unit prevents the same share of the remaining losses: shape(a) = exp(-a / scale).

    The curve is the average of steps whose thresholds are drawn anew in each round, exponentially with mean
    `scale`.

    Parameters
    ----------
    scale : float or sequence of float
        The amount that divides the losses by e.
    leak : float or sequence of float
        The share of losses that remains under full cover.

    Examples
    --------
    >>> Exponential(0.5).remaining([0.0, 0.5]).round(3).tolist()
    [1.0, 0.368]
    """

    in_words: ClassVar = (
        "Each further unit prevents the same share of the remaining losses, down to the leak."
    )
    scale: PerArm
    leak: PerArm = 0.0

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """A third of each level divides the losses by e."""
        return cls((levels / 3.0).tolist(), leak)

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """Every further unit prevents the same share."""
        with np.errstate(over="ignore", under="ignore"):
            return _leaking(self.leak, np.exp(-np.asarray(amounts) / self.scale))


@dataclass(frozen=True)
class Logistic(Response):
    """A soft threshold: shape(a) = σ((middle - a)/width) / σ(middle/width), with σ(x) = 1/(1 + e^-x).

    Parameters
    ----------
    middle : float or sequence of float
        The amount around which the curve falls.
    width : float or sequence of float
        How gently the curve falls: small widths are nearly steps.
    leak : float or sequence of float
        The share of losses that remains under full cover.

    Examples
    --------
    >>> Logistic(0.5, 0.05).remaining([0.3, 0.7]).round(2).tolist()
    [0.98, 0.02]
    """

    in_words: ClassVar = "Each arm has a soft threshold: around it, the loss rate falls to the leak."
    middle: PerArm
    width: PerArm
    leak: PerArm = 0.0

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """The curves fall around the levels, with random widths."""
        return cls(levels.tolist(), stream.uniform(0.01, 0.2, levels.size).tolist(), leak)

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """The curve, computed by logarithms, which do not overflow."""
        middle, width = np.asarray(self.middle), np.asarray(self.width)
        with np.errstate(over="ignore", under="ignore"):
            log = np.logaddexp(0.0, -middle / width)
            return _leaking(
                self.leak, np.exp(log - np.logaddexp(0.0, (np.asarray(amounts) - middle) / width))
            )


@dataclass(frozen=True, init=False)
class Piecewise(Response):
    """Straight lines between given points; after the last point, the curve is constant.

    Parameters
    ----------
    amounts : array_like
        Increasing amounts from 0 to 1, starting at 0.
    remaining : array_like
        The remaining share at each amount: one row for all arms, or a row for each arm. Rows start at 1 and
        never rise.

    Examples
    --------
    >>> Piecewise([0, 0.5, 1], [1, 0.2, 0.1]).remaining([0.25, 0.75]).round(2).tolist()
    [0.6, 0.15]
    """

    in_words: ClassVar = "The loss rate falls along straight lines between the given amounts."
    amounts: tuple[float, ...]
    levels: tuple[Any, ...]  # what remains at them

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """The curves fall to the leak by uneven steps, whatever the levels."""
        falls = np.cumsum(stream.dirichlet(np.ones(POINTS - 1), levels.size), axis=1)
        rows = np.column_stack([np.ones(levels.size), 1.0 - (1.0 - leak) * np.minimum(falls, 1.0)])
        return cls(np.linspace(0.0, 1.0, POINTS), rows.tolist())

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
        """Raise an error unless there is one row for all arms, or a row for each arm."""
        rows = len(self.levels) if isinstance(self.levels[0], tuple) else arms
        if rows != arms:
            raise InputError(
                f"remaining has {rows} rows", f"{arms}, one for each arm, or one for all", what="remaining"
            )

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """Straight lines between the given points."""
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
        """Both parameters are needed."""
        return {"amounts": True, "remaining": True}


@dataclass(frozen=True)
class Capped(Response):
    """Every unit prevents at most one incident: under n units, min(n, N) of N incidents are prevented.

    The share that remains depends on the loss rate and on the law of the counts, so only a problem knows it.
    """

    in_words: ClassVar = (
        "Every unit prevents at most one incident in a round, so further units prevent less and less."
    )

    @classmethod
    def drawn(cls, levels: FloatArray, leak: float, stream: np.random.Generator) -> Self:
        """There is nothing to draw."""
        return cls()

    def remaining(self, amounts: ArrayLike, slack: float = RELATIVE) -> FloatArray:
        """Raise an error: the share depends on the loss rate, which a response does not know."""
        raise NotApplicableError(
            "a capped response has no curve of its own, since what remains depends on the loss rate",
            "`remaining` or `table` of the problem",
            what="response",
            value=self,
        )

    def expected_table(self, loss_rates: FloatArray, units: int, overdispersion: float) -> FloatArray:
        """Compute the expected share that remains at n units, E[(N - n)+] / E[N].

        Parameters
        ----------
        loss_rates : FloatArray
            The mean of N at every arm.
        units : int
            The number of units in a full grant of 1.
        overdispersion : float
            As in `Problem`.

        Returns
        -------
        FloatArray
            A row for each arm, with a column for 0, 1, …, `units` units.
        """
        from scipy.special import betainc, gammainc  # imported here, since few worlds need it

        mean, n = np.maximum(loss_rates, TINY)[:, np.newaxis], np.arange(1.0, units + 1.0)
        # With N' = N for a Poisson count, or with a size greater by 1: k P(N = k) = E[N] P(N' = k - 1).
        if overdispersion * float(mean.max()) < NEGLIGIBLE:
            at_least, more = gammainc(n, mean), gammainc(n + 1.0, mean)
        else:
            size, share = 1.0 / overdispersion, overdispersion * mean / (1.0 + overdispersion * mean)
            at_least, more = betainc(n, size + 1.0, share), betainc(n + 1.0, size, share)
        shares = np.clip(at_least - n * more / mean, 0.0, 1.0)
        return np.minimum.accumulate(np.hstack([np.ones_like(mean), shares]), axis=1)


RESPONSES: dict[str, type[Response]] = {
    each.kind(): each for each in (Step, Linear, Exponential, Logistic, Piecewise, Capped)
}


def classes_in_words() -> str:
    """The classes of responses, as an error lists them."""
    *names, last = (each.__name__ for each in RESPONSES.values())
    return f"{', '.join(names)} or {last}"


def _falling(name: str, row: Any, length: int) -> tuple[float, ...]:
    """Check the remaining shares of one row: the first is 1, and they never rise."""
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
