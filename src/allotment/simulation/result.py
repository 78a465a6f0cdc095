"""What a simulation found: paths of cumulative regret, with intervals of their mean."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from allotment.arrays import IntArray
from allotment.catalogue import describe, restore
from allotment.checks import whole
from allotment.errors import AllotmentError, FileError, InputError, NotFoundError, shown
from allotment.frames import arrow_table, pandas_frame
from allotment.intervals import interval
from allotment.plots.figures import WIDTH
from allotment.plots.lines import Bound, draw_panel
from allotment.plots.spread import draw_spread
from allotment.policy import Policy
from allotment.simulation.columns import result_columns
from allotment.simulation.methods_text import methods_text
from allotment.simulation.regret_paths import ARRAYS, Curve
from allotment.simulation.result_files import read_archive, write_archive
from allotment.simulation.result_pictures import final_spread, regret_panel, result_html
from allotment.version import versions
from allotment.worlds.descriptions import describe_world, restore_world
from allotment.worlds.world import World

if TYPE_CHECKING:
    from allotment.simulation.found import Found


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
    """The regret of a run, by label; iterating yields the labels."""

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
        if not (fitting and all(self._fits(regret) for regret in self.curves.values())):
            raise InputError("the parts of a result do not fit together")
        if not all(np.isfinite(regret.paths).all() for regret in self.curves.values()):
            raise InputError("the regret of a result is not finite")

    def _fits(self, regret: Curve) -> bool:
        count = self.replications
        counted = (regret.search_rounds, regret.unproved, regret.contradictions)
        found = regret.found_thresholds
        return (
            regret.paths.shape == (count, len(self.rounds))
            and regret.paths.dtype.kind == "f"
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
        for label, regret in self.curves.items():
            searched = None if regret.search_rounds is None else float(np.median(regret.search_rounds))
            ends = float(regret.mean[-1]), float(regret.low[-1]), float(regret.high[-1])
            counts = [
                0 if each is None else int(each.sum()) for each in (regret.unproved, regret.contradictions)
            ]
            rows.append(SummaryRow(label, *ends, float(np.median(regret.final)), searched, *counts))
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

    def methods(self) -> str:
        """A paragraph for a paper: policies, replications, seed, intervals and versions."""
        return methods_text(
            self.problem,
            self.policies,
            self.versions,
            horizon=self.horizon,
            replications=self.replications,
            seed=self.seed,
        )

    def __repr__(self) -> str:
        runs = f"{self.replications} replications of {self.horizon} rounds, seed {self.seed}"
        return f"<Result of {', '.join(self.curves)}: {runs}>"

    def _repr_html_(self) -> str:
        return result_html(self)

    def __str__(self) -> str:
        width = max(len(label) for label in self.curves)
        lines = [f"{'policy':{width}}  regret at {self.horizon}   95 % interval   ({self.replications} runs)"]
        lines += [
            f"{row.policy:{width}}  {row.mean:14.2f}   {interval(row.low, row.high, 2)}"
            for row in self.summary()
        ]
        return "\n".join(lines)

    def plot(
        self,
        ax: Any = None,
        *,
        policies: str | Sequence[str] | None = None,
        level: float = 0.95,
        quantiles: tuple[float, float] | None = None,
        bounds: str | Bound | Sequence[str | Bound] = (),
        logx: bool = False,
        logy: bool = False,
        title: str = "",
        labels: str = "auto",
        width: float = WIDTH,
    ) -> Any:
        """Draw mean regret as lines, with intervals as bands, and bounds over them.

        Draws on `ax`, axes of matplotlib, and returns them; or on a new figure, `width` inches wide, and
        returns that. `policies`: the labels to draw, all by default. `level`: of the intervals of the mean.
        `quantiles`: such as (0.1, 0.9), to draw the median and the band between these instead. `bounds`: of
        the paper, by name: "equation 3", "Theorem 1", "Theorem 2" or "all" (that apply). `labels`: "beside"
        the lines' ends, in a "legend", "none", or "auto": beside where they fit.
        """
        axes: dict[str, Any] = {"logx": logx, "logy": logy, "title": title, "labels": labels}
        panel = regret_panel(self, policies, bounds, level=level, quantiles=quantiles, **axes)
        return draw_panel(panel, ax, width)

    def plot_final(
        self,
        ax: Any = None,
        *,
        kind: str = "ecdf",
        policies: str | Sequence[str] | None = None,
        logx: bool = False,
        title: str = "",
        labels: str = "auto",
        width: float = WIDTH,
    ) -> Any:
        """Draw how regret at the horizon spreads over replications, since means hide runs that are stuck.

        `kind`: "ecdf", the share of replications that lost at most so much, or "histogram". Dots are means.
        The other options are those of `plot`.
        """
        spread = final_spread(self, policies, kind=kind, logx=logx, title=title, labels=labels)
        return draw_spread(spread, ax, width)

    def to_frame(self, *, tidy: bool = False) -> Any:
        """A pandas data frame with one row per policy and recorded round.

        With `tidy` it has one row per policy, replication and recorded round, ready for seaborn.
        """
        return pandas_frame(result_columns(self, tidy=tidy))

    def to_arrow(self, *, tidy: bool = False) -> Any:
        """The same as an Arrow table, for polars and others, without pandas."""
        return arrow_table(result_columns(self, tidy=tidy))

    def found(self) -> dict[str, "Found"]:
        """How often the thresholds that each policy's search found were right in the useful sense.

        Right means that planning with them loses nothing (`allocation_equivalent`); it need not be exact.
        Policies that do not search are left out.
        """
        from allotment.simulation.found import count_found

        return {
            label: count_found(self.problem, regret.found_thresholds)
            for label, regret in self.curves.items()
            if regret.found_thresholds is not None
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file (.npz), whole or not at all; `load` gives it back."""
        head = {
            "problem": describe_world(self.problem),
            "policies": [describe(policy) for policy in self.policies],
            "horizon": self.horizon,
            "seed": self.seed,
            "versions": dict(self.versions),
        }
        arrays: dict[str, Any] = {"rounds": self.rounds}
        for position, regret in enumerate(self.curves.values()):
            for name in ARRAYS:
                if getattr(regret, name) is not None:
                    arrays[f"{position}.{name}"] = getattr(regret, name)
        write_archive(path, head, arrays)

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
        head, arrays = read_archive(path)
        try:
            return cls._from_parts(head, arrays, tuple(policies), tuple(worlds))
        except (AllotmentError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise FileError(f"{os.fspath(path)} cannot be used: {error}") from None

    @classmethod
    def _from_parts(
        cls,
        head: dict[str, Any],
        arrays: dict[str, Any],
        policy_classes: tuple[type[Policy], ...],
        world_classes: tuple[type[World], ...],
    ) -> Self:
        policies = tuple(restore(each, policy_classes, world_classes) for each in head["policies"])
        regrets = {
            policy.label: Curve(
                arrays[f"{position}.paths"], *(arrays.get(f"{position}.{name}") for name in ARRAYS[1:])
            )
            for position, policy in enumerate(policies)
        }
        return cls(
            restore_world(head["problem"], world_classes),
            policies,
            whole("horizon", head["horizon"], least=1),
            whole("seed", head["seed"], least=0),
            arrays["rounds"],
            regrets,
            {str(name): str(number) for name, number in head.get("versions", {}).items()},
        )
