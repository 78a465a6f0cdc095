"""A problem explained: what would be best, and whether it can be learnt, in words and as data."""

from typing import Any

import numpy as np

from allotment.worlds.problem import Problem


def explain(problem: Problem) -> dict[str, Any]:
    """The problem, its optimum and what that means, as plain data."""
    best = problem.best
    return {
        "problem": problem.to_dict(),
        "optimum": {
            "covered": _covered_names(problem),
            "allocation": best.allocation.tolist(),
            "loss": best.loss,
            "residual": best.residual,
            "gamma": best.gamma,
            "hopeless": best.hopeless,
        },
        "words": in_words(problem),
    }


def in_words(problem: Problem) -> list[str]:
    """What is best and whether the thresholds can be learnt well enough for it, in sentences."""
    best = problem.best
    total = float((problem.severities * problem.loss_rates).sum())
    names = _covered_names(problem)
    spent = problem.budget - best.residual
    if total == 0.0:
        return ["Nothing is ever lost here, so nothing needs to be covered."]
    if not names:
        return [
            f"The budget of {problem.budget:g} cannot cover any arm that loses: "
            f"{total:g} is lost per round, whatever is done."
        ]
    sentences = [
        f"Best: cover {_listed(names)}. That takes {spent:g} of the budget of {problem.budget:g} and leaves "
        f"an expected loss of {best.loss:.4g} per round, instead of {total:.4g} with nothing covered."
    ]
    if best.hopeless:
        parts = " + ".join(f"{each:g}" for each in problem.thresholds[best.covered])
        sentences.append(
            f"Hopeless (gamma = 0): the best choice needs {parts} = {spent:g}, all of the budget. A policy "
            f"that over-estimates any of these thresholds, by however little, can never afford it, so CSB-DT "
            f"and CSB-DT-UCB, which find thresholds to within some gamma > 0, lose a little in every round, "
            f"for ever."
        )
        if np.ptp(problem.thresholds) == 0.0:
            sentences.append(
                "All thresholds are equal, though: CSB-ST, which relies on that, is not affected."
            )
    else:
        sentences.append(
            f"Not hopeless: {best.residual:.4g} is left over, so every threshold may be over-estimated by up "
            f"to gamma = {best.gamma:.4g} without harm."
        )
    return sentences


def _covered_names(problem: Problem) -> list[str]:
    return [name for name, covered in zip(problem.names, problem.best.covered, strict=True) if covered]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
