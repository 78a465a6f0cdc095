"""Draws probabilities: a bar for each amount, and a separate bar for none."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.plots.figures import COLOURS, WIDTH, draw_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Chances:
    """The chance of each amount, and that of none of them."""

    amounts: FloatArray  # increasing
    chances: FloatArray
    never: float
    what: str
    never_label: str = "never"
    title: str = ""


def draw_chances(chances: Chances, ax: Any = None, width: float = WIDTH) -> Any:
    """Draw chances, on axes that are given or on a picture of its own."""
    return draw_on(ax, lambda axes: _draw(axes, chances), width, 0.5)


def _draw(axes: "Axes", chances: Chances) -> None:
    most = float(chances.amounts[-1])
    apart = 1.14 * most
    # Each bar reaches down to the candidate before, whose place it stands for, so that none is too thin.
    edges = np.concatenate([[0.0], chances.amounts])
    axes.stairs(chances.chances, edges, fill=True, color=COLOURS[0])
    axes.bar(apart, chances.never, width=0.05 * most, color=COLOURS[1])
    axes.set_xlim(0.0, 1.2 * most)
    axes.set_ylim(0.0, 1.08 * max(float(chances.chances.max()), chances.never))
    ticks = np.linspace(0.0, most, 6)
    axes.set_xticks([*ticks, apart], [*(f"{tick:.3g}" for tick in ticks), chances.never_label])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel(chances.what)
    axes.set_ylabel("Probability")
    axes.set_title(chances.title)
