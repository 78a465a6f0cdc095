"""A world explained in sentences, as data and in notebooks.

An explanation says what the best allocation is, what a round shows, and what can be learnt.
"""

from typing import Any

import numpy as np

from allotment.markup import html_block, html_sentences, html_table
from allotment.plots.figures import small_picture
from allotment.plots.response_curves import Responses
from allotment.worlds.changing import Changing
from allotment.worlds.descriptions import describe_world
from allotment.worlds.optimum import Optimum
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Step
from allotment.worlds.several_problems import SeveralProblems
from allotment.worlds.situations import Situations
from allotment.worlds.world import World


def explain(world: World) -> dict[str, Any]:
    """The world, its optimum (in the first round) and the sentences about them, as plain data."""
    best = world.best_in(1)
    optimum: dict[str, Any] = {"allocation": best.allocation.tolist(), "loss": best.loss}
    if has_thresholds(world):
        optimum |= {
            "covered": [str(name) for name in np.array(arm_names(world))[best.covered]],
            "residual": best.residual,
            "gamma": best.gamma,
            "hopeless": best.hopeless,
        }
    content: dict[str, Any] = {"problem": describe_world(world), "optimum": optimum, "words": in_words(world)}
    if isinstance(world, Changing):
        content["stages"] = [{"from": start} | explain(problem) for start, problem in world.stages]
    if isinstance(world, Situations):
        named = zip(world.situation_names, world.problems, strict=True)
        content["situations"] = [{"name": name} | explain(problem) for name, problem in named]
    return content


def has_thresholds(world: World) -> bool:
    """Whether an arm is covered at a threshold, in the first of several problems."""
    problem = world.first if isinstance(world, SeveralProblems) else world
    return isinstance(problem, Problem) and isinstance(problem.response, Step)


def arm_cells(problem: Problem) -> tuple[list[str], list[list[str]]]:
    """A table of the arms as text: its columns and its rows, numbers last.

    With steps, it shows which arms the optimum covers; otherwise, the best grant of each arm.
    """
    best, steps = problem.best, has_thresholds(problem)
    columns = ["covered", "loss rate", "threshold"] if steps else ["best grant", "loss rate", "remains then"]
    third = problem.thresholds if steps else problem.remaining(best.allocation)
    rows = []
    for i, name in enumerate(problem.names):
        covered = ("yes" if best.covered[i] else "") if steps else f"{best.allocation[i]:g}"
        numbers = problem.loss_rates[i], third[i], problem.severities[i]
        rows.append([name, covered, *(f"{number:.6g}" for number in numbers)])
    return ["arm", *columns, "severity"], rows


def in_words(world: World) -> list[str]:
    """Describe a world in sentences: its best allocation, what a round shows, what can be learnt."""
    if isinstance(world, SeveralProblems):
        changes = "This world changes: it has" if isinstance(world, Changing) else "This world has"
        told = [f"{changes} {len(world.problems)} {world.parts}."]
        for caption, problem in zip(world.captions, world.problems, strict=True):
            first, *others = in_words(problem)
            told += [f"{caption}: {first}", *others]
        return told
    if not isinstance(world, Problem):
        return [_granted(world, world.best_in(1), "in the first round.")]
    if not world.stakes.any():
        return ["No arm ever has a loss, so no arm needs a grant."]
    return [*(_of_steps(world) if has_thresholds(world) else _of_shape(world)), *_of_kind(world)]


def _of_steps(problem: Problem) -> list[str]:
    best, total = problem.best, float(problem.stakes.sum())
    names = [name for name, covered in zip(problem.names, best.covered, strict=True) if covered]
    spent = float(best.allocation.sum())
    if not names:
        return [
            f"The budget of {problem.budget:g} cannot cover any arm that has losses. "
            f"The expected loss is {total:g} per round under every allocation."
        ]
    sentences = [
        f"Best: cover {_listed(names)}. That takes {spent:g} of the budget of {problem.budget:g} and leaves "
        f"an expected loss of {best.loss:.4g} per round, instead of {total:.4g} with nothing covered."
    ]
    if best.hopeless:
        parts = " + ".join(f"{each:g}" for each in best.allocation[best.covered])
        sentences.append(
            f"Hopeless (gamma = 0): the best choice needs {parts} = {spent:g}, all of the budget. A policy "
            f"that over-estimates any of these thresholds can never afford it. CSB-DT and CSB-DT-UCB find "
            f"thresholds to within gamma > 0, so they lose a little in every round, for ever."
        )
        if np.ptp(problem.thresholds) == 0.0:
            sentences.append("All thresholds are equal, so CSB-ST, which relies on that, is not affected.")
    else:
        sentences.append(
            f"Not hopeless: {best.residual:.4g} is left over, so every threshold may be over-estimated by up "
            f"to gamma = {best.gamma:.4g} without harm."
        )
    return sentences


def _of_shape(problem: Problem) -> list[str]:
    total = float(problem.stakes.sum())
    return [
        f"{_granted(problem, problem.best)}, instead of {total:.4g} with nothing granted.",
        problem.response.in_words,
        "This world has no thresholds. Policies that need to know them refuse it, and policies that search "
        "for them find amounts that mean nothing.",
    ]


def _granted(world: World, best: Optimum, when: str = "per round") -> str:
    grants = [
        f"{amount:.4g} to {name}"
        for name, amount in zip(arm_names(world), best.allocation, strict=True)
        if amount
    ]
    granted = _listed(grants) if grants else "nothing to anyone"
    return f"Best: grant {granted}. That leaves an expected loss of {best.loss:.4g} {when}"


def _of_kind(problem: Problem) -> list[str]:
    """Where it differs from the paper's world."""
    sentences = []
    if problem.leak.any():
        least, most = float(problem.leak.min()), float(problem.leak.max())
        shares = f"{least:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
        sentences.append(f"Grants leak: a share of {shares} of each loss rate remains under full cover.")
    if problem.unit is not None:
        sentences.append(
            f"Amounts count in whole units of {problem.unit:g}; a fraction of a unit has no effect."
        )
    if problem.losses == "counts":
        law = "Poisson"
        if problem.overdispersion:
            size = f"with size {1.0 / problem.overdispersion:.3g}"
            law = f"negative binomial {size}, more variable than a Poisson number"
        sentences.append(f"An arm may have several losses in a round: their number is {law}, and is seen.")
    if problem.sees == "finds":
        sentences.append(
            "A round shows the incidents that grants prevent, not the losses. So a policy can learn the "
            "product of loss rate and prevented share, and neither of the two alone."
        )
    return sentences


def arm_names(world: World) -> list[str]:
    """The arms by name, or by number in a world without names."""
    return list(getattr(world, "names", ())) or [f"arm {i + 1}" for i in range(world.arms)]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


MOST_ROWS = 20  # arms that a notebook lists


def responses_of(problem: Problem, title: str = "", labels: str = "auto") -> Responses:
    """The expected loss of each arm at every amount, and at its best grant."""
    if problem.units is None:  # straight down at the threshold
        ones = np.ones(problem.arms)
        amounts = np.stack([0.0 * ones, problem.thresholds, problem.thresholds, ones], axis=1)
        remaining = np.stack([ones, ones, problem.leak, problem.leak], axis=1)
    else:  # straight down at every unit
        levels = np.arange(problem.units.full + 1) / problem.units.full
        amounts = np.tile(np.repeat(levels, 2)[1:], (problem.arms, 1))
        remaining = np.repeat(problem.table, 2, axis=1)[:, :-1]
    return Responses(
        problem.names,
        amounts,
        problem.stakes[:, np.newaxis] * remaining,
        problem.best.allocation,
        problem.stakes * problem.remaining(problem.best.allocation),
        title=title,
        labels=labels,
    )


def world_html(world: World) -> str:
    """A world in sentences; for a problem, also its arms and, with matplotlib, its response curves."""
    sentences = html_sentences(in_words(world))
    if not isinstance(world, Problem):
        return html_block(world.in_short(), sentences)
    columns, rows = arm_cells(world)
    if len(rows) > MOST_ROWS:
        rows = [*rows[: MOST_ROWS - 1], [f"… and {len(rows) - MOST_ROWS + 1} more", *[""] * 4]]
    picture = small_picture(world.plot, "What each arm loses at every amount")
    return html_block(world.in_short(), html_table(columns, rows, numbers=3), sentences, picture)
