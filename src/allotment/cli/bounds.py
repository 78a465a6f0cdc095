"""`allotment bounds`: what the paper proves about a problem, as numbers."""

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_policies, read_problem
from allotment.cli.output import console, print_json, show_result, table
from allotment.errors import InputError
from allotment.files import ensure_writable
from allotment.plots.figures import need_matplotlib, save_figure
from allotment.plots.lines import Bound
from allotment.simulation.result import Result
from allotment.simulation.simulate import simulate
from allotment.theory.bounds import RegretBound, csb_st_regret, lower_bound, over_rounds
from allotment.theory.summary import Statement, all_bounds

LARGE = 1e9  # from here on, powers of ten say more than digits


@app.command()
def bounds(
    problem: ProblemArgument,
    horizon: Annotated[int, typer.Option(help="T: the round that the bounds are for.")] = 10_000,
    delta: Annotated[float, typer.Option(help="How often a search may err.")] = 0.1,
    epsilon: Annotated[float, typer.Option(help="What every loss rate is taken to exceed.")] = 0.1,
    gamma: Annotated[
        float | None, typer.Option(help="How well CSB-DT finds thresholds; the problem's own by default.")
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", help="Simulate this policy too, to compare.")
    ] = None,
    replications: Annotated[int, typer.Option(help="Of the simulation.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the simulated curves with the bounds over them (.png or .svg).")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the paper's bounds on regret and search rounds, corrected and as printed."""
    instance = read_problem(problem)
    policies = read_policies(policy or [], instance)
    statements = all_bounds(instance, horizon, delta=delta, epsilon=epsilon, gamma=gamma)
    if plot is not None:
        if not policies:
            raise InputError("--plot draws simulated curves", "at least one --policy to simulate")
        need_matplotlib()
        ensure_writable(plot)
    result = None
    if policies:
        result = simulate(instance, policies, horizon=horizon, replications=replications, seed=seed)
    if result is not None and plot is not None:
        save_figure(result.plot(bounds=_overlays(result, epsilon)), plot)
    if json:
        content: dict[str, Any] = {"horizon": horizon, "bounds": [_as_data(each) for each in statements]}
        if result is not None:
            content["simulated"] = [vars(row) for row in result.summary()]
        print_json(content)
        return
    shown = table("bound", "in the paper", "corrected", "as printed", numbers=2)
    for statement in statements:
        if not statement.reason:
            for row in _rows(statement):
                shown.add_row(*row)
    out = console()
    out.print(shown)
    for reason in dict.fromkeys(statement.reason for statement in statements if statement.reason):
        silent = "; ".join(statement.source for statement in statements if statement.reason == reason)
        out.print(f"Not for this problem: {silent}, since {reason}.", highlight=False, soft_wrap=True)
    if result is not None:
        show_result(result, as_json=False)


def _overlays(result: Result, epsilon: float) -> tuple[Bound, ...]:
    """The bounds that apply, over the rounds of the curves."""
    known = {
        "equation 3": over_rounds(lower_bound, result.problem, result.rounds),
        "Theorem 1": over_rounds(partial(csb_st_regret, epsilon=epsilon), result.problem, result.rounds),
    }
    return tuple(
        Bound(label, result.rounds, values) for label, values in known.items() if not np.isnan(values).all()
    )


def _rows(statement: Statement) -> list[list[str]]:
    """A line for the result, and one for each of its terms."""
    forms = statement.corrected, statement.printed
    rows = [[statement.name, statement.source, *(_shown(form) for form in forms)]]
    if isinstance(statement.corrected, RegretBound):
        for term in statement.corrected.log_terms:
            logs = [form.log_terms.get(term) if isinstance(form, RegretBound) else None for form in forms]
            rows.append([f"  {term}", "", *("" if log is None else _from_log(log) for log in logs)])
    return rows


def _shown(value: float | RegretBound | None) -> str:
    if value is None:
        return ""
    return _from_log(value.log_total) if isinstance(value, RegretBound) else f"{value:.6g}"


def _from_log(log: float) -> str:
    return f"{math.exp(log):.6g}" if log < math.log(LARGE) else f"10^{log / math.log(10.0):.1f}"


def _as_data(statement: Statement) -> dict[str, Any]:
    return vars(statement) | {
        "corrected": _plain(statement.corrected),
        "printed": _plain(statement.printed),
    }


def _plain(value: float | RegretBound | None) -> Any:
    if not isinstance(value, RegretBound):
        return value
    return {"total": value.total, "log_total": value.log_total, "terms": value.terms}
