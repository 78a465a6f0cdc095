"""`allotment problem`: what the best allocation is, and whether it can be learnt."""

from typing import Any

import numpy as np

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption, ProblemArgument, read_problem
from allotment.cli.output import console, print_json, table
from allotment.worlds.problem import Problem


@app.command()
def problem(problem: ProblemArgument, json: JsonOption = False) -> None:
    """Show a problem's best allocation, and whether the thresholds can be learnt well enough for it."""
    instance = read_problem(problem)
    if json:
        print_json(_as_data(instance))
        return
    best = instance.best
    shown = table("arm", "covered", "loss rate", "threshold", "severity", numbers=3)
    for i, name in enumerate(instance.names):
        covered = "yes" if best.covered[i] else ""
        numbers = instance.loss_rates[i], instance.thresholds[i], instance.severities[i]
        shown.add_row(name, covered, *(f"{number:g}" for number in numbers))
    out = console()
    out.print(shown)
    for sentence in _in_words(instance):
        out.print(sentence, highlight=False)


def _as_data(instance: Problem) -> dict[str, Any]:
    best = instance.best
    return {
        "problem": instance.to_dict(),
        "optimum": {
            "covered": [name for name, covered in zip(instance.names, best.covered, strict=True) if covered],
            "allocation": best.allocation.tolist(),
            "loss": best.loss,
            "residual": best.residual,
            "gamma": best.gamma,
            "hopeless": best.hopeless,
        },
        "words": _in_words(instance),
    }


def _in_words(instance: Problem) -> list[str]:
    best = instance.best
    total = float((instance.severities * instance.loss_rates).sum())
    names = [name for name, covered in zip(instance.names, best.covered, strict=True) if covered]
    spent = instance.budget - best.residual
    if total == 0.0:
        return ["Nothing is ever lost here, so nothing needs to be covered."]
    if not names:
        return [
            f"The budget of {instance.budget:g} cannot cover any arm that loses: "
            f"{total:g} is lost per round, whatever is done."
        ]
    sentences = [
        f"Best: cover {_listed(names)}. That takes {spent:g} of the budget of {instance.budget:g} and leaves "
        f"an expected loss of {best.loss:.4g} per round, instead of {total:.4g} with nothing covered."
    ]
    if best.hopeless:
        parts = " + ".join(f"{each:g}" for each in instance.thresholds[best.covered])
        sentences.append(
            f"Hopeless (gamma = 0): the best choice needs {parts} = {spent:g}, all of the budget. A policy "
            f"that over-estimates any of these thresholds, by however little, can never afford it, so CSB-DT "
            f"and CSB-DT-UCB, which find thresholds to within some gamma > 0, lose a little in every round, "
            f"for ever."
        )
        if np.ptp(instance.thresholds) == 0.0:
            sentences.append(
                "All thresholds are equal, though: CSB-ST, which relies on that, is not affected."
            )
    else:
        sentences.append(
            f"Not hopeless: {best.residual:.4g} is left over, so every threshold may be over-estimated by up "
            f"to gamma = {best.gamma:.4g} without harm."
        )
    return sentences


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
