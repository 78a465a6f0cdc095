"""Charts are well-formed SVG without style attributes, and their texts are escaped."""

import math
from xml.etree import ElementTree

import pytest

from allotment.plots.bands import Band, BandPanel, Dot
from allotment.plots.comparisons import Compared, ComparedPanel
from allotment.web.charts.bands import band_chart, ticks
from allotment.web.charts.bars import Bar, bars
from allotment.web.charts.comparisons import compared_chart
from allotment.web.charts.outlines import outlines

EVIL = "<script>\"&'"
SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
PANEL = BandPanel(
    (Band(EVIL, [0, 1, 2], [0.5, 0.3, 0.1], [0.4, 0.2, 0.0], [0.6, 0.4, 0.2]), Band("b", [0, 2], [1, 1])),
    EVIL,
    at=1.0,
    dots=(Dot(1.0, 0.3, 5.0), Dot(2.0, 0.1, 0.0)),
)
ROWS = (Compared(EVIL, 4.0, 1.5, 6.5, 3), Compared("outside", 4.0, 1.5, 6.5, 9), Compared("none", 0, 0, 0, 0))
CHARTS = {
    "comparisons": compared_chart(ComparedPanel(ROWS, EVIL)),
    "no losses": compared_chart(ComparedPanel(ROWS[2:], "Losses")),
    "bars": bars([Bar(EVIL, 0.3, "0.3", is_ours=True), Bar("nothing", 0.0, "0")], EVIL),
    "bands": band_chart(PANEL, "Granted", EVIL, at_label="now", dots_label="reported"),
    "outlines": outlines(
        {EVIL: SQUARE, "point": {"type": "Point", "coordinates": [2, 2]}}, {EVIL: 2, "point": 0}, EVIL
    ),
    "one point": outlines({"point": {"type": "Point", "coordinates": [2, 2]}}, {"point": 0}, "map"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_safe_markup(name):
    drawn = str(CHARTS[name])
    tree = ElementTree.fromstring(drawn)
    assert tree.attrib["role"] == "img" and tree.attrib["aria-label"]
    assert all("style" not in each.attrib for each in tree.iter())
    assert "<script" not in drawn and "nan" not in drawn


def test_what_happened_outside_the_band_has_another_shape():
    drawn = str(CHARTS["comparisons"])
    assert drawn.count("<circle") == 3 and drawn.count("chart__happened--outside") == 2  # with the key
    assert "outside: 4 expected (1.5 to 6.5), 9 happened." in drawn
    assert "outside" not in str(CHARTS["no losses"])


def test_a_label_on_a_map_stays_within_its_outline():
    def labels(across):
        shapes = {f"Old town {x}": _square(x * across, across) for x in range(340 // across)}
        tree = ElementTree.fromstring(str(outlines(shapes, dict.fromkeys(shapes, 3), "map")))
        return {each.text for each in tree.iter() if "map__name" in each.get("class", "")}

    assert labels(100) == {"Old town 0: 3", "Old town 1: 3", "Old town 2: 3"}
    assert labels(30) == {"3"}
    assert labels(4) == set()


def test_labels_on_strong_shades_have_a_colour_of_their_own():
    shapes = {str(x): _square(100 * x, 90) for x in range(2)} | {
        "Tower": {"type": "Point", "coordinates": [250, 0]}
    }
    drawn = str(outlines(shapes, {"0": 1, "1": 5, "Tower": 5}, "map"))
    tree = ElementTree.fromstring(drawn)
    strong = [each.text for each in tree.iter() if "map__name--strong" in each.get("class", "")]
    assert strong == ["1: 5"]  # the name of a point stands beside it


def _square(left, side):
    corners = [[left, 0], [left + side, 0], [left + side, side], [left, side], [left, 0]]
    return {"type": "Polygon", "coordinates": [corners]}


@pytest.mark.parametrize("highest", [1e-150, 1e-100, 1e-9, 0.07, 0.999, 1.0, 3.2, 47, 1e6])
def test_ticks_reach_the_highest_number(highest):
    found = ticks(highest)
    assert found[0] == 0.0 and found[-1] >= highest * (1 - 1e-9)
    assert 4 <= len(found) <= 8


@pytest.mark.parametrize("highest", [5e-324, 0.0, math.inf, math.nan])
def test_what_no_axis_can_show_has_an_axis_all_the_same(highest):
    assert ticks(highest)[-1] == 1.0
