"""What was expected, with its band, beside what happened."""

import pytest

from allotment.plots.comparisons import Compared, ComparedPanel, draw_compared, shortened
from allotment.plots.figures import figure_bytes

pytest.importorskip("matplotlib")
ROWS = (Compared("May", 4.0, 1.5, 6.5, 3), Compared("June", 4.0, 1.5, 6.5, 9))


def test_what_happened_outside_the_band_is_marked():
    drawn = draw_compared([ComparedPanel(ROWS, "Losses"), ComparedPanel(ROWS[:1], "Cost")], note="A note.")
    (legend,) = drawn.legends
    said = [text.get_text() for text in legend.get_texts()]
    assert set(said) == {"happened", "happened, outside the band", "expected, with 90 % band"}
    first, second = drawn.axes
    assert [label.get_text() for label in first.get_yticklabels()] == ["May", "June"]
    assert first.get_xlim() == pytest.approx((0, 9.54)) and second.get_xlabel() == "Cost"
    assert first.get_ylim()[0] > first.get_ylim()[1]  # the first row is at the top
    assert drawn.get_suptitle() == "A note."


def test_names_are_text_and_not_longer_than_a_picture_can_show():
    rows = (Compared(r"$\frac$", 1.0, 0.0, 2.0, 1), Compared("x" * 60, 1.0, 0.0, 2.0, 1))
    assert figure_bytes(draw_compared([ComparedPanel(rows, "Losses")]), "svg")
    assert len(shortened("x" * 60)) == 28 and shortened("Dock") == "Dock"


def test_no_rows_are_an_empty_picture():
    drawn = draw_compared([ComparedPanel((), "Losses")])
    assert figure_bytes(drawn, "png") and drawn.legends == []
