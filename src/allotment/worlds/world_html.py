"""The data of a problem's figure, and the HTML of a world in a notebook."""

import numpy as np

from allotment.markup import html_block, html_sentences, html_table
from allotment.plots.figures import small_picture
from allotment.plots.response_curves import Responses
from allotment.worlds.in_words import arm_cells, in_words
from allotment.worlds.problem import Problem
from allotment.worlds.world import World

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
