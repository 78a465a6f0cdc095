"""`allotment bounds`: the proved bounds for a problem, as numbers."""

from pathlib import Path
from typing import Annotated, Any

import typer

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_policies, read_problem
from allotment.cli.output import check_plot, console, print_json, show_result, table


@app.command()
def bounds(
    problem: ProblemArgument,
    horizon: Annotated[int, typer.Option(help="The number of rounds.")] = 10_000,
    delta: Annotated[float, typer.Option(help="The probability of a wrong threshold.")] = 0.1,
    epsilon: Annotated[float, typer.Option(help="A lower bound on all loss rates.")] = 0.1,
    gamma: Annotated[
        float | None, typer.Option(help="The precision of thresholds. Defaults to the problem's.")
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", help="Simulate this policy, to compare.")
    ] = None,
    replications: Annotated[int, typer.Option(help="Replications of the simulation.")] = 20,
    seed: Annotated[int, typer.Option(help="The seed of the simulation.")] = 0,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw simulated regret with the bounds over it (.png, .svg or .pdf)."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the proved bounds on regret and on search rounds."""
    from allotment.errors import InputError
    from allotment.plots.figures import save_figure
    from allotment.simulation.simulate import simulate
    from allotment.theory.summary import all_bounds, bounds_over_rounds, not_for_this_problem

    instance = read_problem(problem)
    policies = read_policies(policy or [], instance)
    statements = all_bounds(instance, horizon, delta=delta, epsilon=epsilon, gamma=gamma)
    if plot is not None:
        if not policies:
            raise InputError(
                "--plot draws simulated regret",
                "at least one --policy to simulate",
                what="--plot",
                value=plot,
            )
        check_plot(plot)
    result = None
    if policies:
        result = simulate(instance, policies, horizon=horizon, replications=replications, seed=seed)
    if result is not None and plot is not None:
        overlays = bounds_over_rounds(instance, result.rounds, epsilon=epsilon)
        save_figure(result.plot(bounds=overlays), plot)
    if json:
        content: dict[str, Any] = {"horizon": horizon, "bounds": [each.to_dict() for each in statements]}
        if result is not None:
            content["simulated"] = [vars(row) for row in result.summary()]
        print_json(content)
        return
    shown = table("bound", "source", "corrected", "as printed", numbers=2)
    for statement in statements:
        for row in statement.rows():
            shown.add_row(*row)
    out = console()
    out.print(shown)
    for sentence in not_for_this_problem(statements):
        out.print(sentence, highlight=False, soft_wrap=True)
    if result is not None:
        show_result(result, as_json=False)
