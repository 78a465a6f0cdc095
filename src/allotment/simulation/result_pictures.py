"""The data of a result's figures, and its HTML."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from allotment.checks import number, open_unit
from allotment.errors import InputError
from allotment.markup import html_block, html_table
from allotment.plots.figures import small_picture
from allotment.plots.lines import Bound, Panel
from allotment.plots.spread import Sample, Spread

if TYPE_CHECKING:
    from allotment.simulation.result import Result

ALL = "all"
REGRET = "Cumulative regret"


def regret_panel(
    result: "Result",
    policies: str | Sequence[str] | None,
    bounds: str | Bound | Sequence[str | Bound],
    *,
    level: float,
    quantiles: tuple[float, float] | None,
    **options: Any,
) -> Panel:
    """The regret of some policies, as lines, with bounds."""
    what = f"{REGRET} (losses)"
    if quantiles is not None:
        quantiles = _checked_quantiles(quantiles)
        what = f"{REGRET} (median)"
    lines = tuple(
        result[label].line(label, result.rounds, level=open_unit("level", level), quantiles=quantiles)
        for label in _chosen(result, policies)
    )
    return Panel(lines, bounds=_made_bounds(result, bounds), what=what, **options)


def final_spread(result: "Result", policies: str | Sequence[str] | None, **options: Any) -> Spread:
    """Regret at the horizon in every replication, policy by policy."""
    samples = tuple(Sample(label, result[label].final) for label in _chosen(result, policies))
    return Spread(samples, f"Regret after {result.horizon} rounds", "runs", **options)


def _chosen(result: "Result", policies: str | Sequence[str] | None) -> list[str]:
    if policies is None:
        return list(result)
    chosen = [policies] if isinstance(policies, str) else list(policies)
    if not chosen:
        raise InputError.of("policies", policies, f"at least one of {', '.join(result)}")
    return chosen


def _checked_quantiles(quantiles: Any) -> tuple[float, float]:
    try:
        low, high = (number("quantiles", each, "", least=0.0, most=1.0) for each in quantiles)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if low >= high:
        raise InputError.of("quantiles", quantiles, "two numbers from 0 to 1, the lower one first") from None
    return low, high


def _made_bounds(result: "Result", bounds: str | Bound | Sequence[str | Bound]) -> tuple[Bound, ...]:
    from allotment.theory.summary import bounds_over_rounds

    made: list[Bound] = []
    for each in [bounds] if isinstance(bounds, str | Bound) else bounds:
        if isinstance(each, Bound):
            made.append(each)
        else:
            names = None if each == ALL else [each]
            made += bounds_over_rounds(result.problem, result.rounds, names)
    return tuple(made)


def summary_cells(result: "Result") -> tuple[list[str], list[list[str]]]:
    """The summary as a table of text: its columns, and a row for each policy."""
    from allotment.markup import interval

    columns = ["policy", "regret", "95 % interval", "median", "search rounds"]
    rows = []
    for row in result.summary():
        searched = "-" if row.search_rounds is None else f"{row.search_rounds:.0f}"
        ends = interval(row.low, row.high)
        rows.append([row.policy, f"{row.mean:.1f}", ends, f"{row.median:.1f}", searched])
    return columns, rows


def result_html(result: "Result") -> str:
    """The summary and, where matplotlib is there, the lines of regret, for a notebook."""
    columns, rows = summary_cells(result)
    runs = "replication" if result.replications == 1 else "replications"
    title = f"Regret after {result.horizon} rounds, {result.replications} {runs}, seed {result.seed}"
    picture = small_picture(result.plot, f"Regret over rounds: {', '.join(result)}")
    return html_block(title, html_table(columns, rows, numbers=4), picture)
