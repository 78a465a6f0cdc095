"""The result of a simulation: cumulative regret of every policy, with confidence intervals."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.errors import AllotmentError, FileError, InputError, NotFoundError, shown
from allotment.markup import interval
from allotment.plots.figures import WIDTH
from allotment.plots.lines import Bound, draw_panel
from allotment.plots.spread import draw_spread
from allotment.policies.base.catalogue import describe, restore
from allotment.policies.base.policy import Policy
from allotment.simulation.methods_text import methods_text
from allotment.simulation.regret_paths import ARRAYS, Curve
from allotment.simulation.result_files import read_archive, result_columns, write_archive
from allotment.simulation.result_pictures import final_spread, regret_panel, result_html
from allotment.tables import arrow_table, pandas_frame
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
class Result(Mapping[str, "Curve"]):
    """The regret of every policy of a run, by label. Iterating yields the labels.

    Attributes
    ----------
    problem : World
        The world of the run.
    policies : tuple of Policy
        The policies.
    horizon : int
        The number of rounds.
    seed : int
        The seed.
    rounds : IntArray
        The rounds at which regret is recorded.
    curves : mapping of str to Curve
        The regret of each policy, by label. `result[label]` is the same.
    versions : mapping of str to str
        The versions of allotment, NumPy and Numba that made the result.

    Examples
    --------
    >>> from allotment import EqualSplit, Problem, simulate
    >>> result = simulate(Problem.named("paper-2"), EqualSplit(), horizon=50, replications=2, seed=1)
    >>> list(result), result["Equal split"].mean[-1].round(2).item()
    (['Equal split'], 103.5)
    """

    problem: World
    policies: tuple[Policy, ...]
    horizon: int
    seed: int
    rounds: IntArray
    curves: Mapping[str, Curve]
    versions: Mapping[str, str] = field(default_factory=versions)  # what it was made with

    def __post_init__(self) -> None:
        """Raise an error unless the parts of the result belong together."""
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
        """The number of replications."""
        return next(iter(self.curves.values())).replications

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __contains__(self, label: object) -> bool:
        return label in self.curves

    def get(self, label: str, default: Any = None) -> Any:
        """Return the regret of a policy, or a default.

        Parameters
        ----------
        label : str
            The label of the policy.
        default : object
            What to return if no policy has this label.

        Returns
        -------
        Curve or object
            The regret of the policy, or the default.
        """
        return self.curves.get(label, default)

    __eq__, __hash__ = object.__eq__, object.__hash__  # two runs are two results

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
        """Compare two policies replication by replication, since both faced the same losses.

        Parameters
        ----------
        a, b : str
            The labels of the policies.

        Returns
        -------
        Curve
            The regret of `a` minus the regret of `b`.

        Raises
        ------
        NotFoundError
            If no policy has such a label.
        """
        return Curve(self[a].paths - self[b].paths)

    def summary(self) -> list[SummaryRow]:
        """List the regret at the horizon, with a row for each policy."""
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
        """The summary and the settings of the run as plain data."""
        return {
            "problem": describe_world(self.problem),
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "policies": [vars(row) for row in self.summary()],
        }

    def methods(self, problem: str | None = None) -> str:
        """A paragraph for a paper: policies, problem, replications, seed, intervals and versions.

        Parameters
        ----------
        problem : str, optional
            What to call the problem, such as the name of its file. Problems that ship with the package are
            named without it. The numbers of other problems are listed, if they have at most 10 arms.

        Returns
        -------
        str
            The paragraph.
        """
        return methods_text(
            self.problem,
            problem,
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
        """Draw mean regret over rounds, with confidence intervals as bands.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. A new figure by default.
        policies : str or sequence of str, optional
            The labels to draw. All by default.
        level : float
            The confidence level of the intervals of the mean.
        quantiles : (float, float), optional
            Draw the median and the band between these quantiles over replications instead, such as (0.1,
            0.9).
        bounds : str or sequence of str
            Bounds of the paper to draw: "equation 3", "Theorem 1", "Theorem 2", or "all" that apply.
        logx, logy : bool
            Whether the axes are logarithmic.
        title : str
            The title of the figure.
        labels : {"auto", "beside", "legend", "none"}
            Where to name the policies: beside the ends of their lines, or in a legend. "auto" chooses.
        width : float
            The width of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes or matplotlib.figure.Figure
            `ax` if it was given, otherwise the new figure.
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
        """Draw how regret at the horizon spreads over replications. A mean hides runs that are stuck.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. A new figure by default.
        kind : {"ecdf", "histogram"}
            The share of replications with at most a given regret, or a histogram. Dots mark the means.
        policies : str or sequence of str, optional
            The labels to draw. All by default.
        logx : bool
            Whether the axis of regret is logarithmic.
        title : str
            The title of the figure.
        labels : {"auto", "beside", "legend", "none"}
            Where to name the policies, as in `plot`.
        width : float
            The width of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes or matplotlib.figure.Figure
            `ax` if it was given, otherwise the new figure.
        """
        spread = final_spread(self, policies, kind=kind, logx=logx, title=title, labels=labels)
        return draw_spread(spread, ax, width)

    def to_frame(self, *, tidy: bool = False) -> Any:
        """Make a pandas data frame with one row per policy and recorded round.

        Parameters
        ----------
        tidy : bool
            One row per policy, replication and recorded round instead, ready for seaborn.

        Returns
        -------
        pandas.DataFrame
            The frame.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return pandas_frame(result_columns(self, tidy=tidy))

    def to_arrow(self, *, tidy: bool = False) -> Any:
        """Make an Arrow table with the rows of `to_frame`, for polars and others, without pandas.

        Parameters
        ----------
        tidy : bool
            As in `to_frame`.

        Returns
        -------
        pyarrow.Table
            The table.

        Raises
        ------
        MissingExtraError
            If pyarrow is not installed.
        """
        return arrow_table(result_columns(self, tidy=tidy))

    def found(self) -> dict[str, "Found"]:
        """Count how often the thresholds that each policy found are as good as the true ones.

        They are as good if planning with them loses nothing (`allocation_equivalent`); they need not be
        equal. Policies without a threshold search are left out.
        """
        from allotment.simulation.found import count_found

        return {
            label: count_found(self.problem, regret.found_thresholds)
            for label, regret in self.curves.items()
            if regret.found_thresholds is not None
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file (.npz).

        Parameters
        ----------
        path : str or path
            The file. An earlier file of this name is replaced.

        Raises
        ------
        FileError
            If the file cannot be written. An earlier file then stays as it was.
        """
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
        """Read a result that `save` wrote, without running any code that the file names.

        Parameters
        ----------
        path : str or path
            The file.
        policies : iterable of type
            Policy classes from outside the package that the file may name.
        worlds : iterable of type
            World classes from outside the package that the file may name.

        Returns
        -------
        Result
            The result.

        Raises
        ------
        FileError
            If the file cannot be read, or names another class.
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
