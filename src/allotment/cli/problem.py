"""`allotment policies` and `problem`: the policies; the best allocation, and whether it can be learnt."""

from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_problem
from allotment.cli.output import PlotOption, check_plot, console, print_json, save_plot, table
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from rich.table import Table

    from allotment.worlds.problem import Problem


@app.command()
def policies(
    name: Annotated[str | None, typer.Argument(help="Show one policy in full.")] = None,
    json: JsonOption = False,
) -> None:
    """List the policies, and when to use each. Also their worlds and parameters."""
    from allotment.policies.base.catalogue import about, find_policy, policy_classes

    chosen = policy_classes() if name is None else {name: find_policy(name)}
    entries = [about(each, kind) for each, kind in chosen.items()]
    if json:
        print_json([vars(entry) for entry in entries])
        return
    out = console()
    if name is not None:
        (entry,) = entries
        out.print(f"{name} ({entry.label}): {entry.use}", style="bold", highlight=False)
        out.print(f"Suitable worlds: {entry.worlds}.\n", highlight=False)
        out.print(entry.about, highlight=False)
        shown = table("parameter", "default", "meaning", numbers=0)
        for key, value in entry.parameters.items():
            shown.add_row(key, value, entry.meanings.get(key, ""))
        out.print(shown)
        return
    shown = table("policy", "label", "when to use it", "worlds", "parameters", numbers=0)
    for entry in entries:
        parameters = ", ".join(f"{key}={value}" for key, value in entry.parameters.items())
        shown.add_row(entry.name, entry.label, entry.use, entry.worlds, parameters)
    out.print(shown)
    out.print(
        "`allotment policies NAME` explains one. Parameters go behind a colon: csb-dt:gamma=1e-4,delta=1/T."
    )


@app.command()
def problem(problem: ProblemArgument, plot: PlotOption = None, json: JsonOption = False) -> None:
    """Show a problem and its best allocation. Also what a round shows, and what can be learnt."""
    from allotment.worlds.in_words import explain, in_words
    from allotment.worlds.several_problems import SeveralProblems

    instance = read_problem(problem)
    if plot is not None and isinstance(instance, SeveralProblems):
        raise ConflictError(f"--plot draws one problem, and this world has several {instance.parts}")
    check_plot(plot)
    save_plot(instance, plot)
    if json:
        print_json(explain(instance))
        return
    out = console()
    if isinstance(instance, SeveralProblems):
        for caption, part in zip(instance.captions, instance.problems, strict=True):
            out.print(caption, style="bold", highlight=False)
            out.print(_arms(part))
    else:
        out.print(_arms(instance))
    for sentence in in_words(instance):
        out.print(sentence, highlight=False)


def _arms(problem: "Problem") -> "Table":
    from allotment.worlds.in_words import arm_cells

    columns, rows = arm_cells(problem)
    shown = table(*columns, numbers=3)
    for row in rows:
        shown.add_row(*row)
    return shown
