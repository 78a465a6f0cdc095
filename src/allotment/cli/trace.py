"""`allotment trace`: one replication, round by round."""

import csv
from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import ProblemArgument, read_policies, read_problem
from allotment.cli.output import PlotOption, check_plot, save_plot
from allotment.system.files import ensure_writable, replacing
from allotment.tables import inert


@app.command()
def trace(
    problem: ProblemArgument,
    policy: Annotated[str, typer.Option("--policy", "-p", help="The policy; see `policies`.")],
    out: Annotated[Path, typer.Option(help="The CSV file to write.")],
    horizon: Annotated[int, typer.Option(help="The number of rounds.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the simulation.")] = 0,
    replication: Annotated[int, typer.Option(help="The replication, counted from 0.")] = 0,
    plot: PlotOption = None,
) -> None:
    """Write each grant and loss of one replication to a CSV file."""
    from allotment.simulation.result_files import trace_columns
    from allotment.simulation.trace import trace as replay

    instance = read_problem(problem)
    (chosen,) = read_policies([policy], instance)
    ensure_writable(out)
    check_plot(plot)
    played = replay(instance, chosen, horizon=horizon, seed=seed, replication=replication)
    with replacing(out) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        columns = trace_columns(played)
        rows.writerow(columns)
        rows.writerows(map(inert, zip(*(values.tolist() for values in columns.values()), strict=True)))
    save_plot(played, plot)
    print(f"{out}: {horizon} rounds of {chosen.label}, {played.regret[-1]:.1f} regret in all.")
