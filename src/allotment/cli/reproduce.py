"""`allotment reproduce`: the paper's experiments."""

from typing import Annotated

import typer

from allotment.cli.app import app
from allotment.cli.output import console, show_result
from allotment.paper.instances import instances


@app.command()
def reproduce(
    replications: Annotated[int, typer.Option(help="Repetitions of each experiment.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
) -> None:
    """Run the paper's algorithms on its instances and show the regret of each."""
    for title, result in instances(replications, seed):
        console().print(title, style="bold")
        show_result(result, as_json=False)
