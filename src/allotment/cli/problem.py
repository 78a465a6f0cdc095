"""`allotment problem`: the best allocation, and whether it can be learnt."""

from typing import TYPE_CHECKING

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_problem
from allotment.cli.output import PlotOption, check_plot, console, print_json, save_plot, table
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from rich.table import Table

    from allotment.worlds.problem import Problem


@app.command()
def problem(problem: ProblemArgument, plot: PlotOption = None, json: JsonOption = False) -> None:
    """Show a problem and its best allocation. Also what a round shows, and what can be learnt."""
    from allotment.worlds.changing import Changing
    from allotment.worlds.in_words import explain, in_words

    instance = read_problem(problem)
    if plot is not None and isinstance(instance, Changing):
        raise ConflictError("--plot draws one problem, and this world changes from one to another")
    check_plot(plot)
    save_plot(instance, plot)
    if json:
        print_json(explain(instance))
        return
    out = console()
    stages = instance.stages if isinstance(instance, Changing) else ((1, instance),)
    for start, stage in stages:
        if len(stages) > 1:
            out.print(f"From round {start} on", style="bold", highlight=False)
        out.print(_arms(stage))
    for sentence in in_words(instance):
        out.print(sentence, highlight=False)


def _arms(problem: "Problem") -> "Table":
    from allotment.worlds.in_words import arm_cells

    columns, rows = arm_cells(problem)
    shown = table(*columns, numbers=3)
    for row in rows:
        shown.add_row(*row)
    return shown
