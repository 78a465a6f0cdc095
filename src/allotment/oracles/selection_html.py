"""What a notebook shows of an oracle's answer."""

from typing import TYPE_CHECKING

import numpy as np

from allotment.markup import html_block, html_table

if TYPE_CHECKING:
    from allotment.oracles.knapsack.solve import Selection

MOST = 20  # items that are listed


def selection_html(selection: "Selection") -> str:
    """Which items a knapsack takes, and what they are worth."""
    chosen = np.flatnonzero(selection.chosen).tolist()
    listed = ", ".join(map(str, chosen[:MOST])) + (", …" if len(chosen) > MOST else "")
    rows = [
        ["items", listed or "none"],
        ["value", f"{selection.value:.6g}"],
        ["weight", f"{selection.weight:.6g}"],
        ["no selection is worth more than", f"{selection.bound:.6g}"],
        ["proved to be the best", "yes" if selection.proved else "no"],
    ]
    return html_block(f"{len(chosen)} of {selection.chosen.size} items", html_table(["", ""], rows))
