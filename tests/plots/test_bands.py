"""Panels with bands, dots and marks; and maps."""

import pytest

from allotment.plots.bands import Band, BandPanel, Dot, draw_bands
from allotment.plots.outlines import draw_outlines

pytest.importorskip("matplotlib")


def panel(height, **parts):
    return BandPanel((Band("expected", [0, 1, 2], [height, 1.0, 0.5], [0.0] * 3, [height] * 3),), **parts)


def test_panels_share_their_scale_unless_they_show_different_things():
    tall, low = panel(8.0), panel(2.0)
    assert len({axes.get_ylim() for axes in draw_bands([tall, low], "x", "y").axes}) == 1
    assert len({axes.get_ylim() for axes in draw_bands([tall, low], "x", "y", same_scale=False).axes}) == 2


def test_a_legend_explains_the_line_the_dots_and_the_mark():
    drawn = draw_bands(
        [panel(2.0, at=1.0, dots=(Dot(1.0, 9.0, 3.0),))],
        "x",
        "y",
        at_label="granted today",
        dots_label="reported",
        note="3 more places are left out.",
    )
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == ["expected", "reported", "granted today"]
    assert drawn.axes[0].get_ylim()[1] > 9.0
    assert drawn.get_suptitle() == "3 more places are left out."


def test_rounds_have_whole_ticks():
    (axes,) = draw_bands([panel(2.0)], "Rounds", "y").axes
    assert all(float(tick).is_integer() for tick in axes.get_xticks())


def test_a_map_in_which_all_places_get_the_same_is_not_all_dark():
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    drawn = draw_outlines({"A": square, "B": square}, {"A": 2, "B": 2}, "Granted", "1 place is left out.")
    colours = [each.get_facecolor()[0] for each in drawn.axes[0].collections]
    assert all(colour[:3].sum() > 1.0 for colour in colours)
    assert drawn.axes[0].get_title() == "1 place is left out."
