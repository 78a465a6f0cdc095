"""`allotment trace`: one replication, round by round."""

import csv
from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import ProblemArgument, read_policies, read_problem
from allotment.files import ensure_writable, replacing


@app.command()
def trace(
    problem: ProblemArgument,
    policy: Annotated[str, typer.Option("--policy", "-p", help="The policy to follow; see `policies`.")],
    out: Annotated[Path, typer.Option(help="The CSV file to write.")],
    horizon: Annotated[int, typer.Option(help="Rounds.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the simulation.")] = 0,
    replication: Annotated[int, typer.Option(help="Which of its replications, from 0.")] = 0,
) -> None:
    """Write every grant and every loss of one replication to a CSV file."""
    from allotment.simulation.trace import trace as replay

    instance = read_problem(problem)
    (chosen,) = read_policies([policy], instance)
    ensure_writable(out)
    played = replay(instance, chosen, horizon=horizon, seed=seed, replication=replication)
    with replacing(out) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["round", "arm", "granted", "loss", "regret"])
        for t in range(horizon):
            for i, name in enumerate(instance.names):
                granted, loss = float(played.allocations[t, i]), int(played.losses[t, i])
                rows.writerow([t + 1, name, granted, loss, float(played.regret[t])])
    print(f"{out}: {horizon} rounds of {chosen.label}, {played.regret[-1]:.1f} regret in all.")
