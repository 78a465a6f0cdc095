"""Draws rounds in a lane for each arm: grants upwards, losses downwards."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.plots.figures import COLOURS, WIDTH, draw_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 300  # more rounds than this are shown as means over several
UP, DOWN = 0.62, 0.25  # heights within a lane: of a full grant, and of a loss in every round
SHAPE_OF_ONE, SHAPE_PER_LANE, TALLEST = 0.3, 0.11, 2.5  # heights of the picture, in widths


@dataclass(frozen=True, eq=False)
class Lanes:
    """Grants and losses, rounds x arms, from some round on."""

    names: tuple[str, ...]
    grants: FloatArray
    losses: FloatArray
    first: int = 1  # the first row's round
    thresholds: FloatArray | None = None  # drawn as a line, where they are known
    title: str = ""
    seen: str = "losses"  # what the losses are called


def draw_lanes(lanes: Lanes, ax: Any = None, width: float = WIDTH) -> Any:
    """Draw lanes, on axes that are given or on a picture of its own."""
    shape = min(SHAPE_OF_ONE + SHAPE_PER_LANE * len(lanes.names), TALLEST)
    return draw_on(ax, lambda axes: _draw(axes, lanes), width, shape)


def _draw(axes: "Axes", lanes: Lanes) -> None:
    rounds, arms = lanes.grants.shape
    size = -(-rounds // COLUMNS)  # rounds in a column
    starts = np.arange(0, rounds, size)
    counts = np.diff(np.append(starts, rounds))[:, np.newaxis]
    grants = np.add.reduceat(lanes.grants, starts) / counts
    losses = np.add.reduceat(lanes.losses, starts) / counts
    losses = losses / max(1.0, float(losses.max(initial=0.0)))
    edges = np.append(starts, rounds) + lanes.first - 0.5
    for i in range(arms):
        base = float(arms - 1 - i)  # the first arm on top
        axes.axhline(base, color="0.75", linewidth=0.6)
        axes.stairs(base + UP * grants[:, i], edges, baseline=base, fill=True, color=COLOURS[5])
        axes.stairs(base - DOWN * losses[:, i], edges, baseline=base, fill=True, color=COLOURS[1])
        if lanes.thresholds is not None:
            axes.axhline(base + UP * float(lanes.thresholds[i]), color="0.2", linewidth=0.7, linestyle=":")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(-DOWN - 0.1, arms - 1 + UP + 0.1)
    axes.set_yticks(np.arange(arms - 1, -1, -1), lanes.names)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_title(lanes.title)
    means = f"; means of {size} rounds" if size > 1 else ""
    axes.set_xlabel(f"Round\n(up: grants, down: {lanes.seen}{means})")
