"""`allotment problem`: what the best allocation is, and whether it can be learnt."""

from typing import TYPE_CHECKING

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_problem
from allotment.cli.output import console, print_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from allotment.worlds.problem import Problem


@app.command()
def problem(problem: ProblemArgument, json: JsonOption = False) -> None:
    """Show a problem's best allocation, what is seen, and whether enough of it can be learnt."""
    from allotment.worlds.changing import Changing
    from allotment.worlds.explanation import explain, in_words

    instance = read_problem(problem)
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
    """The arms and what is best for each; in a world of steps, whether that covers it."""
    from allotment.worlds.explanation import has_thresholds

    best, steps = problem.best, has_thresholds(problem)
    columns = ("covered", "loss rate", "threshold") if steps else ("best grant", "loss rate", "remains then")
    shown = table("arm", *columns, "severity", numbers=3)
    third = problem.thresholds if steps else problem.remaining(best.allocation)
    for i, name in enumerate(problem.names):
        covered = ("yes" if best.covered[i] else "") if steps else f"{best.allocation[i]:g}"
        numbers = problem.loss_rates[i], third[i], problem.severities[i]
        shown.add_row(name, covered, *(f"{number:.6g}" for number in numbers))
    return shown
