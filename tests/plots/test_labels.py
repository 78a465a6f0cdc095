import numpy as np
import pytest

from allotment.plots.lines import Bound, Line, Panel, draw_panel

ROUNDS = np.arange(10, 1001, 10)


def panel(ends, labels="auto", shape=np.sqrt, **options):
    """Lines that rise to these ends."""
    lines = []
    for position, end in enumerate(ends):
        path = end * shape(ROUNDS / ROUNDS[-1])
        lines.append(Line(f"line {position}", ROUNDS, path, 0.95 * path, 1.05 * path))
    return Panel(tuple(lines), labels=labels, **options)


def drawn(panel, width=3.3):
    """Its axes, laid out."""
    figure = draw_panel(panel, width=width)
    figure.draw_without_rendering()
    return figure.axes[0]


def written(axes):
    """The labels beside the lines, with their boxes."""
    return {text.get_text(): text.get_window_extent() for text in axes.texts}


def covered_points(axes):
    """Points of lines and bands that the legend covers."""
    box = axes.get_legend().get_window_extent()
    points = [axes.transData.transform(line.get_xydata()) for line in axes.lines]
    for band in axes.collections:
        points += [band.get_transform().transform(path.vertices) for path in band.get_paths()]
    x, y = np.concatenate(points).T
    return int(((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)).sum())


def test_labels_stand_at_the_ends_of_lines_where_they_fit():
    axes = drawn(panel([100.0, 60.0, 57.0]))
    assert axes.get_legend() is None
    boxes = written(axes)
    assert sorted(boxes) == ["line 0", "line 1", "line 2"]
    inside = axes.bbox
    assert all(box.x0 > inside.x1 for box in boxes.values())
    assert all(box.x1 <= axes.figure.bbox.x1 for box in boxes.values())
    assert boxes["line 0"].y0 > boxes["line 1"].y0 > boxes["line 2"].y0
    assert not boxes["line 1"].overlaps(boxes["line 2"])  # though the lines all but meet


def test_where_many_lines_meet_there_is_a_legend():
    axes = drawn(panel([100.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0]))
    assert len(axes.get_legend().get_texts()) == 7
    assert not axes.texts


@pytest.mark.parametrize("width", [3.3, 7.0])
@pytest.mark.parametrize("logy", [False, True])
@pytest.mark.parametrize(
    "shape",
    [np.sqrt, np.square, lambda x: 1.0 - (1.0 - x) ** 20, lambda x: np.where(x < 0.97, 1e-3, x)],
    ids=["root", "square", "early", "late"],
)
@pytest.mark.parametrize("ends", [[100.0, 3.0], [100.0, 99.0, 98.0, 50.0, 40.0, 30.0, 2.0, 1.0]], ids=len)
def test_a_legend_hides_no_line(ends, shape, logy, width):
    axes = drawn(panel(ends, "legend", shape, logy=logy), width)
    assert covered_points(axes) == 0
    box = axes.get_legend().get_window_extent()
    assert box.x1 <= axes.figure.bbox.x1
    assert box.y1 <= axes.figure.bbox.y1


def test_a_bound_outside_the_picture_is_said_beside_it():
    far = Bound("far", ROUNDS, 1e6 + 0.0 * ROUNDS)
    near = Bound("near", ROUNDS, 120.0 + 0.0 * ROUNDS)
    unknown = Bound("unknown", ROUNDS, np.full(ROUNDS.size, np.nan))
    axes = drawn(panel([100.0, 50.0], "legend", bounds=(far, near, unknown), title="Title"))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["line 0", "line 1", "near"]
    (note,) = axes.texts
    assert "far: above this picture, 1e+06 at its end" in note.get_text().replace("\n", " ")
    assert "unknown: says nothing yet" in note.get_text()
    box = note.get_window_extent()
    assert box.y0 >= axes.bbox.y1
    assert box.x0 >= 0
    assert axes.title.get_window_extent().y0 >= box.y1 - 1
    below = Bound("low", ROUNDS, 1e-3 + 0.0 * ROUNDS)
    axes = drawn(panel([100.0, 90.0], logy=True, shape=lambda x: 0.0 * x + 1.0, bounds=(below,)))
    assert axes.texts[0].get_text().replace("\n", " ") == "low: below this picture, 0.001 at its end"


def test_logarithmic_axes_begin_where_there_is_something():
    axes = drawn(panel([100.0, 50.0], logx=True, logy=True))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_xlim() == (10, 1000)
    assert 0.0 < axes.get_ylim()[0] < 5.0


def test_labels_can_be_left_out():
    axes = drawn(panel([100.0, 50.0], "none"))
    assert axes.get_legend() is None
    assert not axes.texts
