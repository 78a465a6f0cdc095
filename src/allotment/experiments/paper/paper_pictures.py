"""Turns measured figures into pictures."""

from typing import TYPE_CHECKING

from allotment.experiments.paper.paper_figures import PUBLISHED, Part
from allotment.experiments.paper.running import Measured
from allotment.plots.lines import Panel, draw_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_figure(measured: Measured) -> "Figure":
    """The whole figure, its panels side by side, as for print."""
    return draw_panels([_panel(measured, part) for part in measured.figure.parts])


def draw_part(measured: Measured, part: Part) -> "Figure":
    """One panel alone, as for a narrow screen."""
    return draw_panels([_panel(measured, part)])


def _panel(measured: Measured, part: Part) -> Panel:
    # What the paper's figure showed is marked where the setting is the paper's figure's.
    marked = measured.figure.setting == PUBLISHED
    lines = tuple(
        measured.regrets[each].line(each.label, measured.rounds, each.in_paper if marked else None)
        for each in part.experiments
    )
    return Panel(lines, part.title, mark_label="read off the paper")
