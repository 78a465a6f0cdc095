"""What a simulation found: curves of cumulative regret, with their intervals."""

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from allotment.arrays import IntArray
from allotment.catalogue import describe, restore
from allotment.checks import whole
from allotment.errors import AllotmentError, FileError, InputError, MissingExtraError, NotFoundError, shown
from allotment.files import read_bytes, replacing
from allotment.intervals import interval
from allotment.plots.lines import Bound, Panel, draw_panels
from allotment.policy import Policy
from allotment.simulation.curve import ARRAYS, Curve
from allotment.version import versions
from allotment.worlds.descriptions import describe_world, restore_world
from allotment.worlds.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "allotment-result-1"


def checked_name(path: str | os.PathLike[str]) -> None:
    """Raise an error if a result, which is an archive, would go by the name of something else."""
    if Path(path).suffix.lower() not in ("", ".npz"):
        raise InputError.of("the name of the file", os.fspath(path), "one that ends in .npz")


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
    contradictions: int  # losses at amounts that should have prevented them, in all replications


@dataclass(frozen=True, eq=False)
class Result:
    """The curves of a run, by label; iterating yields the labels."""

    problem: World
    policies: tuple[Policy, ...]
    horizon: int
    seed: int
    rounds: IntArray
    curves: Mapping[str, Curve]
    versions: Mapping[str, str] = field(default_factory=versions)  # what it was made with

    def __post_init__(self) -> None:
        """Make sure that the parts belong together, whoever put them there."""
        rounds, count = np.asarray(self.rounds), self.replications if self.curves else 0
        fitting = (
            count > 0
            and list(self.curves) == [policy.label for policy in self.policies]
            and rounds.ndim == 1
            and rounds.dtype.kind == "i"
            and bool((np.diff(rounds, prepend=0) > 0).all())
            and rounds[-1] == self.horizon
        )
        if not (fitting and all(self._fits(curve) for curve in self.curves.values())):
            raise InputError("the parts of a result do not fit together")
        if not all(np.isfinite(curve.paths).all() for curve in self.curves.values()):
            raise InputError("the regret of a result is not finite")

    def _fits(self, curve: Curve) -> bool:
        count = self.replications
        counted = (curve.search_rounds, curve.unproved, curve.contradictions)
        found = curve.found_thresholds
        return (
            curve.paths.shape == (count, len(self.rounds))
            and curve.paths.dtype.kind == "f"
            and all(each is None or (each.shape == (count,) and each.dtype.kind == "i") for each in counted)
            and (found is None or (found.shape == (count, self.problem.arms) and found.dtype.kind == "f"))
        )

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
            counts = [
                0 if each is None else int(each.sum()) for each in (curve.unproved, curve.contradictions)
            ]
            rows.append(SummaryRow(label, *ends, middle, searched, *counts))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The summary, and what was run, as plain data."""
        return {
            "problem": describe_world(self.problem),
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "policies": [vars(row) for row in self.summary()],
        }

    def __str__(self) -> str:
        width = max(len(label) for label in self.curves)
        lines = [f"{'policy':{width}}  regret at {self.horizon}   95 % interval   ({self.replications} runs)"]
        lines += [
            f"{row.policy:{width}}  {row.mean:14.2f}   {interval(row.low, row.high, 2)}"
            for row in self.summary()
        ]
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
        """Write everything to one file (.npz), whole or not at all; `load` gives it back."""
        checked_name(path)
        head = {
            "format": FORMAT,
            "problem": describe_world(self.problem),
            "policies": [describe(policy) for policy in self.policies],
            "horizon": self.horizon,
            "seed": self.seed,
            "versions": dict(self.versions),
        }
        arrays: dict[str, Any] = {"head": np.array(json.dumps(head)), "rounds": self.rounds}
        for position, curve in enumerate(self.curves.values()):
            for name in ARRAYS:
                if getattr(curve, name) is not None:
                    arrays[f"{position}.{name}"] = getattr(curve, name)
        with replacing(path) as draft, draft.open("wb") as file:
            np.savez(file, **arrays)  # compressed, it would take twenty times as long and hardly less room

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        policies: Iterable[type[Policy]] = (),
        worlds: Iterable[type[World]] = (),
    ) -> Self:
        """Read what `save` wrote. Runs no code that the file names.

        `policies` and `worlds` are classes from outside the package that the file may name, and no others.
        """
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
            return cls._from_parts(head, arrays, tuple(policies), tuple(worlds))
        except (AllotmentError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise FileError(f"{os.fspath(path)} cannot be used: {error}") from None

    @classmethod
    def _from_parts(
        cls,
        head: dict[str, Any],
        arrays: dict[str, Any],
        outside: tuple[type[Policy], ...],
        worlds: tuple[type[World], ...],
    ) -> Self:
        policies = tuple(restore(each, outside, worlds) for each in head["policies"])
        curves = {
            policy.label: Curve(
                arrays[f"{position}.paths"], *(arrays.get(f"{position}.{name}") for name in ARRAYS[1:])
            )
            for position, policy in enumerate(policies)
        }
        return cls(
            restore_world(head["problem"], worlds),
            policies,
            whole("horizon", head["horizon"], least=1),
            whole("seed", head["seed"], least=0),
            arrays["rounds"],
            curves,
            {str(name): str(number) for name, number in head.get("versions", {}).items()},
        )
