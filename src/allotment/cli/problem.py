"""`allotment problem`: what the best allocation is, and whether it can be learnt."""

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_problem
from allotment.cli.output import console, print_json, table


@app.command()
def problem(problem: ProblemArgument, json: JsonOption = False) -> None:
    """Show a problem's best allocation, and whether the thresholds can be learnt well enough for it."""
    from allotment.worlds.explanation import explain, in_words

    instance = read_problem(problem)
    if json:
        print_json(explain(instance))
        return
    shown = table("arm", "covered", "loss rate", "threshold", "severity", numbers=3)
    for i, name in enumerate(instance.names):
        covered = "yes" if instance.best.covered[i] else ""
        numbers = instance.loss_rates[i], instance.thresholds[i], instance.severities[i]
        shown.add_row(name, covered, *(f"{number:g}" for number in numbers))
    out = console()
    out.print(shown)
    for sentence in in_words(instance):
        out.print(sentence, highlight=False)
