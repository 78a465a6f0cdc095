"""Turns measured figures into pictures."""

import functools

from allotment.experiments.paper.paper_figures import PUBLISHED, Part
from allotment.experiments.paper.running import Measured
from allotment.plots.figures import figure_bytes
from allotment.plots.lines import Panel, draw_panels


@functools.lru_cache(maxsize=32)
def picture_of(measured: Measured, parts: tuple[Part, ...], kind: str) -> bytes:
    """Panels side by side, as a file; the file of a figure and the report share what looks the same."""
    return figure_bytes(draw_panels([_panel(measured, part) for part in parts]), kind)


def _panel(measured: Measured, part: Part) -> Panel:
    # What the paper's figure showed is marked where the setting is the paper's figure's.
    marked = measured.figure.setting == PUBLISHED
    lines = tuple(
        measured.regrets[each].line(each.label, measured.rounds, each.in_paper if marked else None)
        for each in part.experiments
    )
    return Panel(lines, part.title, mark_label="read off the paper")
