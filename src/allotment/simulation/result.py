"""What a simulation found: curves of cumulative regret, with their intervals."""

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.catalogue import describe, restore
from allotment.errors import AllotmentError, FileError, InputError, MissingExtraError, NotFoundError, shown
from allotment.files import read_bytes, replacing
from allotment.plots.lines import Bound, Line, Panel, draw_panels
from allotment.policy import Policy
from allotment.worlds.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "allotment-result-1"
ARRAYS = ("paths", "search_rounds", "found_thresholds", "unproved")  # of a curve


@dataclass(frozen=True, eq=False)
class Curve:
    """Cumulative regret over the recorded rounds, in every replication."""

    paths: FloatArray  # replications x recorded rounds
    search_rounds: IntArray | None = None  # two-phase policies: per replication
    found_thresholds: FloatArray | None = None  # replications x arms; NaN: not over, inf: cannot be covered
    unproved: IntArray | None = None  # knapsacks solved without a proof of the optimum: per replication

    @cached_property
    def mean(self) -> FloatArray:
        """The mean over replications."""
        return self.paths.mean(axis=0)

    @cached_property
    def _margin(self) -> FloatArray:
        from scipy.special import stdtrit  # Student's t quantile, without the weight of scipy.stats

        count = self.paths.shape[0]
        if count < 2:
            return np.full(self.paths.shape[1], np.nan)
        error = self.paths.std(axis=0, ddof=1) / np.sqrt(count)
        return stdtrit(count - 1, 0.975) * error

    @property
    def low(self) -> FloatArray:
        """Lower end of the pointwise 95 % interval of the mean (Student's t); NaN for one replication."""
        return self.mean - self._margin

    @property
    def high(self) -> FloatArray:
        """Upper end of the same interval."""
        return self.mean + self._margin

    @property
    def final(self) -> FloatArray:
        """Regret at the horizon, one number per replication."""
        return self.paths[:, -1]

    def quantile(self, q: float | Sequence[float]) -> FloatArray:
        """Pointwise quantiles over replications."""
        return np.quantile(self.paths, q, axis=0)

    def line(self, label: str, rounds: IntArray, mark: float | None = None) -> Line:
        """What is drawn of it: the mean, and its interval as a band."""
        return Line(label, rounds, self.mean, self.low, self.high, mark)

    @property
    def replications(self) -> int:
        """How many replications there are."""
        return self.paths.shape[0]

    def first(self, replications: int) -> "Curve":
        """The first replications only."""
        parts: list[Any] = [getattr(self, name) for name in ARRAYS]
        cut: list[Any] = [None if part is None else part[:replications] for part in parts]
        return Curve(*cut)


def joined(curves: Sequence[Curve]) -> Curve:
    """The replications of several curves, one after the other."""
    parts: list[Any] = []
    for name in ARRAYS:
        arrays = [getattr(curve, name) for curve in curves]
        parts.append(None if any(array is None for array in arrays) else np.concatenate(arrays))
    return Curve(*parts)


@dataclass(frozen=True)
class SummaryRow:
    """One policy's line in the summary of a result: regret at the horizon."""

    policy: str
    mean: float
    low: float
    high: float
    median: float
    search_rounds: float | None  # median; None for policies that do not search
    unproved: int  # knapsacks solved without a proof of the optimum, in all replications


@dataclass(frozen=True, eq=False)
class Result:
    """The curves of a run, by label; iterating yields the labels."""

    problem: Problem
    policies: tuple[Policy, ...]
    horizon: int
    seed: int
    rounds: IntArray
    curves: Mapping[str, Curve]

    def __post_init__(self) -> None:
        """Make sure that the parts belong together, whoever put them there."""
        rounds, arms = np.asarray(self.rounds), self.problem.arms
        fitting = (
            bool(self.curves)
            and list(self.curves) == [policy.label for policy in self.policies]
            and rounds.ndim == 1
            and bool((np.diff(rounds, prepend=0) > 0).all())
            and rounds[-1] == self.horizon
        )
        for curve in self.curves.values():
            count = self.replications
            fitting &= count > 0 and curve.paths.shape == (count, rounds.size)
            for counts in (curve.search_rounds, curve.unproved):
                fitting &= counts is None or counts.shape == (count,)
            fitting &= curve.found_thresholds is None or curve.found_thresholds.shape == (count, arms)
        if not fitting:
            raise InputError("the parts of a result do not fit together")

    @property
    def replications(self) -> int:
        """How many replications every policy has."""
        return next(iter(self.curves.values())).replications

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, label: str) -> Curve:
        try:
            return self.curves[label]
        except KeyError:
            raise NotFoundError(
                f"no policy is labelled {shown(label)}",
                f"one of {', '.join(self.curves)}",
                what="policy",
                value=label,
            ) from None

    def compare(self, a: str, b: str) -> Curve:
        """The paired difference a - b, replication by replication: both faced the same losses."""
        return Curve(self[a].paths - self[b].paths)

    def summary(self) -> list[SummaryRow]:
        """Regret at the horizon, a row a policy."""
        rows = []
        for label, curve in self.curves.items():
            searched = None if curve.search_rounds is None else float(np.median(curve.search_rounds))
            middle = float(np.median(curve.final))
            ends = float(curve.mean[-1]), float(curve.low[-1]), float(curve.high[-1])
            unproved = 0 if curve.unproved is None else int(curve.unproved.sum())
            rows.append(SummaryRow(label, *ends, median=middle, search_rounds=searched, unproved=unproved))
        return rows

    def __str__(self) -> str:
        width = max(len(label) for label in self.curves)
        lines = [f"{'policy':{width}}  regret at {self.horizon}   95 % interval   ({self.replications} runs)"]
        lines += [f"{r.policy:{width}}  {r.mean:14.2f}   [{r.low:.2f}, {r.high:.2f}]" for r in self.summary()]
        return "\n".join(lines)

    def plot(self, title: str = "", bounds: Sequence[Bound] = ()) -> "Figure":
        """Draw every curve, with its interval as a band, and bounds over them."""
        lines = tuple(curve.line(label, self.rounds) for label, curve in self.curves.items())
        return draw_panels([Panel(lines, title, tuple(bounds))])

    def to_frame(self) -> Any:
        """A pandas data frame with one row per policy and recorded round."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError(
                "data frames need pandas; install it with: pip install 'allotment[frames]'"
            ) from None
        parts = [
            pandas.DataFrame(
                {
                    "policy": label,
                    "round": self.rounds,
                    "mean": curve.mean,
                    "low": curve.low,
                    "high": curve.high,
                }
            )
            for label, curve in self.curves.items()
        ]
        return pandas.concat(parts, ignore_index=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, whole or not at all; `load` gives it back."""
        head = {
            "format": FORMAT,
            "problem": self.problem.to_dict(),
            "policies": [describe(policy) for policy in self.policies],
            "horizon": self.horizon,
            "seed": self.seed,
        }
        arrays: dict[str, Any] = {"head": np.array(json.dumps(head)), "rounds": self.rounds}
        for position, curve in enumerate(self.curves.values()):
            for name in ARRAYS:
                if getattr(curve, name) is not None:
                    arrays[f"{position}.{name}"] = getattr(curve, name)
        with replacing(path) as draft, draft.open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        data = read_bytes(path)
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as content:
                arrays = dict(content)
            head = json.loads(str(arrays["head"]))
            kind = head["format"]
        except Exception:  # whatever the bytes make the readers stumble over
            raise FileError(f"{os.fspath(path)} is not a saved result of allotment") from None
        if kind != FORMAT:
            raise FileError(f"{os.fspath(path)} has format {shown(kind)}", FORMAT, what="format", value=kind)
        try:
            return cls._from_parts(head, arrays)
        except (AllotmentError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise FileError(f"{os.fspath(path)} cannot be used: {error}") from None

    @classmethod
    def _from_parts(cls, head: dict[str, Any], arrays: dict[str, Any]) -> Self:
        policies = tuple(restore(each) for each in head["policies"])
        curves = {
            policy.label: Curve(
                arrays[f"{position}.paths"], *(arrays.get(f"{position}.{name}") for name in ARRAYS[1:])
            )
            for position, policy in enumerate(policies)
        }
        problem = Problem.from_dict(head["problem"])
        return cls(problem, policies, head["horizon"], head["seed"], arrays["rounds"], curves)
