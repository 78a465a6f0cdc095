"""A problem: places, what they lose, what it takes to protect each, and the budget to split."""

import inspect
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from allotment.arrays import BoolArray, FloatArray
from allotment.checks import nonnegative, one_of, per_arm, vector
from allotment.errors import FileError, InputError, NotFoundError, shown
from allotment.files import read_bytes, replacing
from allotment.oracles.few_items import MOST_ITEMS, best_of_few
from allotment.tolerance import RELATIVE, covers, slack_of
from allotment.worlds.feasibility import feasible
from allotment.worlds.random_problems import draw_problem

MOST_RATES = {"binary": 1.0, "counts": 100.0}  # the kinds of losses, and the highest rate of each


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best allocation of a problem; among equally good ones, the one that needs the least."""

    allocation: FloatArray
    covered: BoolArray
    loss: float  # expected, per round
    residual: float  # r: what is left of the budget
    gamma: float  # r / K: how far each threshold may be over-estimated without harm (Lemma 3)

    @property
    def hopeless(self) -> bool:
        """Whether γ is 0: then no threshold may be over-estimated at all, however little (section 4)."""
        return self.gamma == 0.0


@dataclass(frozen=True, init=False, eq=False)
class Problem:
    """K arms with loss rates μ_i and thresholds θ_i, and a budget Q (section 2 of the paper).

    A loss happens at arm i with probability `loss_rates[i]`, and costs `severities[i]`, unless the arm is
    granted at least `thresholds[i]`. No grant exceeds 1; together they stay within the budget. With
    `losses="counts"` there may be several in a round: their number is Poisson, with mean `loss_rates[i]`.

    >>> problem = Problem([0.9, 0.5, 0.2], thresholds=0.5, budget=1.0)
    >>> problem.best.covered.tolist(), problem.best.loss
    ([True, True, False], 0.2)
    """

    loss_rates: FloatArray
    thresholds: FloatArray
    budget: float
    severities: FloatArray
    names: tuple[str, ...] = field(default=())
    losses: str = "binary"

    def __init__(
        self,
        loss_rates: ArrayLike,
        thresholds: ArrayLike,
        budget: float,
        *,
        severities: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        losses: str = "binary",
    ) -> None:
        most = MOST_RATES[one_of("losses", losses, tuple(MOST_RATES))]
        rates = vector("loss_rates", loss_rates, f"between 0 and {most:g}", least=0.0, most=most)
        arms = rates.size
        costs = np.ones(arms) if severities is None else severities
        kept: dict[str, Any] = {
            "loss_rates": rates,
            "thresholds": vector(
                "thresholds",
                per_arm(thresholds, arms),
                "above 0 and at most 1",
                length=arms,
                above=0.0,
                most=1.0,
            ),
            "budget": nonnegative("budget", budget),
            "severities": vector(
                "severities",
                per_arm(costs, arms),
                "above 0 and at most 1e100",
                length=arms,
                above=0.0,
                most=1e100,
            ),
            "names": _checked_names(names, arms),
            "losses": losses,
        }
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return self.loss_rates.size

    @property
    def spendable(self) -> float:
        """The part of the budget that can be granted: at most 1 for each arm."""
        return min(self.budget, float(self.arms))

    @property
    def slack(self) -> float:
        """The tolerance of this problem's comparisons."""
        return slack_of(self.spendable)

    @cached_property
    def best(self) -> Optimum:
        """The best allocation, exactly: a 0-1 knapsack with value s_i μ_i and weight θ_i (Proposition 2)."""
        stakes = self.severities * self.loss_rates
        if self.arms <= MOST_ITEMS:
            return self._optimum(best_of_few(stakes, self.thresholds, self.spendable) & (stakes > 0.0))
        from allotment.oracles.knapsack.solve import knapsack  # compiled code is loaded when first needed

        uncovered = ~knapsack(stakes, self.thresholds, self.spendable).chosen
        # Among the optimal choices, the lightest: what stays uncovered is to weigh as much as it can while
        # its stakes stay within the optimal loss, which is a knapsack again, the other way round.
        lighter = knapsack(self.thresholds, stakes, self._stakes_of(uncovered)).chosen
        if self._stakes_of(lighter) <= self._stakes_of(uncovered) + RELATIVE:
            uncovered = lighter
        return self._optimum(~uncovered)

    def _optimum(self, covered: BoolArray) -> Optimum:
        """What covering these arms, which is best, comes to."""
        residual = self.budget - float(self.thresholds[covered].sum())
        if residual <= self.slack:
            residual = 0.0
        allocation = np.where(covered, self.thresholds, 0.0)
        covered.setflags(write=False)
        allocation.setflags(write=False)
        return Optimum(allocation, covered, self._stakes_of(~covered), residual, residual / self.arms)

    def _stakes_of(self, uncovered: BoolArray) -> float:
        total = 0.0  # in the order of the arms, as the simulator sums, so that equal sets give equal sums
        for stake in (self.severities * self.loss_rates)[uncovered].tolist():
            total += stake
        return total

    def loss(self, allocation: ArrayLike) -> float:
        """Expected loss per round under an allocation, which must be feasible."""
        grants = feasible(allocation, self.arms, self.budget)
        return self._stakes_of(~covers(grants, self.thresholds, self.slack))

    def regret(self, allocation: ArrayLike) -> float:
        """Expected loss per round beyond the optimum's."""
        return self.loss(allocation) - self.best.loss

    @classmethod
    def named(cls, name: str) -> Self:
        """A problem that ships with the package, such as "paper-1"."""
        names = cls.shipped()
        if name not in names:
            raise NotFoundError(
                f"there is no problem named {shown(name)}",
                f"one of {', '.join(names)}",
                what="problem",
                value=name,
            )
        text = (resources.files("allotment.worlds") / "shipped" / f"{name}.toml").read_text(encoding="utf-8")
        return cls.from_dict(tomllib.loads(text))

    @staticmethod
    def shipped() -> tuple[str, ...]:
        """The names of the problems that ship with the package."""
        folder = resources.files("allotment.worlds") / "shipped"
        return tuple(
            sorted(
                entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")
            )
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a problem from a TOML file, or from a JSON file if its name ends in .json."""
        data = read_bytes(path)
        try:
            content = json.loads(data) if _is_json(path) else tomllib.loads(data.decode())
        except (ValueError, RecursionError) as error:
            kind = "JSON" if _is_json(path) else "TOML"
            raise FileError(f"{os.fspath(path)} is not {kind}: {error}") from None
        try:
            return cls.from_dict(content)
        except InputError as error:
            raise error.within(os.fspath(path)) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem as TOML, or as JSON if the name ends in .json; `load` gives it back exactly."""
        import tomli_w

        text = (
            json.dumps(self.to_dict(), indent=2) + "\n" if _is_json(path) else tomli_w.dumps(self.to_dict())
        )
        with replacing(path) as draft:
            draft.write_text(text, encoding="utf-8")

    @classmethod
    def random(cls, arms: int, *, seed: int, hopeless: bool = False, **kind: Any) -> Self:
        """A random problem; `kind` takes what `allotment.worlds.random_problems.draw_problem` does.

        With `hopeless`, the budget is cut to exactly what the optimum needs.
        """
        expected = inspect.signature(draw_problem).parameters
        for name in kind:
            if name not in expected:
                known = ", ".join([*list(expected)[2:], "hopeless"])
                raise NotFoundError(f"{shown(name)} is no kind of problem", known, what="kind", value=name)
        rates, thresholds, budget = draw_problem(arms, seed=seed, **kind)
        problem = cls(rates, thresholds, budget)
        if not hopeless:
            return problem
        return cls(rates, thresholds, float(thresholds[problem.best.covered].sum()))

    def to_dict(self) -> dict[str, Any]:
        """The problem as plain lists and numbers."""
        return {
            "budget": self.budget,
            "loss_rates": self.loss_rates.tolist(),
            "thresholds": self.thresholds.tolist(),
            "severities": self.severities.tolist(),
            "names": list(self.names),
            "losses": self.losses,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The problem that `to_dict` described."""
        known = ("loss_rates", "thresholds", "budget", "severities", "names", "losses")
        if not isinstance(content, Mapping):
            raise InputError.of("a problem", content, f"a table with {', '.join(known)}")
        for name in content:
            if name not in known:
                raise NotFoundError(
                    f"a problem has no {shown(name)}", ", ".join(known), what="problem", value=name
                )
        for name in known[:3]:
            if name not in content:
                raise InputError(f"a problem needs {name}, which is missing", what=name)
        return cls(**content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.to_dict() == other.to_dict()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)  # so that copies are read-only too

    def __hash__(self) -> int:
        return hash((self.budget, self.loss_rates.tobytes(), self.thresholds.tobytes()))


def _is_json(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".json"


def _checked_names(names: Iterable[str] | None, arms: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"arm {i + 1}" for i in range(arms))
    listed = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str | Mapping) else ()
    proper = all(isinstance(name, str) and name and name.isprintable() for name in listed)
    if not proper or len(listed) != arms or len(set(listed)) != arms:
        given = names if isinstance(names, str | Mapping) else list(listed) or names
        raise InputError.of("names", given, f"{arms} different names, one for each arm")
    return listed
