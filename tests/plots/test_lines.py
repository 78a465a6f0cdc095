import sys

import numpy as np
import pytest

from allotment import (
    Curve,
    EqualSplit,
    FileError,
    InputError,
    MissingExtraError,
    Problem,
    RandomSplit,
    simulate,
)
from allotment.plots.figures import figure_bytes, save_figure
from allotment.plots.lines import Bound, Panel, draw_panels


@pytest.fixture(scope="module")
def result():
    problem = Problem([0.5, 0.4], 0.6, 0.6)
    return simulate(problem, [EqualSplit(), RandomSplit()], horizon=50, replications=5, seed=0)


def texts(axes):
    return [each.get_text() for each in axes.get_legend().get_texts()]


def test_a_result_is_drawn_with_a_line_and_a_band_for_each_policy(result):
    bound = Bound("bound", result.rounds, 1e6 + 0.0 * result.rounds)
    (axes,) = result.plot(title="title", bounds=(bound,), labels="legend").axes
    assert texts(axes) == [*result]
    assert len(axes.collections) == 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Round", "Cumulative regret (losses)")
    # The axis shows the lines whole; a bound that is far above them does not press them flat.
    assert max(result[label].high.max() for label in result) < axes.get_ylim()[1] < 100


def test_marks_are_named_in_the_legend(result):
    regret = result["Equal split"]
    panel = Panel((regret.line("a", result.rounds, 20.0),), mark_label="elsewhere")
    left, right = draw_panels([panel, Panel(panel.lines, "twice")]).axes
    assert texts(left) == ["a", "elsewhere"]
    assert right.get_title() == "twice"


def test_one_replication_and_no_regret_can_be_drawn():
    rounds = np.arange(1, 4)
    figure = draw_panels([Panel((Curve(np.zeros((1, 3))).line("flat", rounds),))])
    assert figure_bytes(figure, "png").startswith(b"\x89PNG")


def test_the_same_figure_gives_the_same_file(result, tmp_path):
    for name in ("one.svg", "two.svg"):
        save_figure(result.plot(), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert "Date" not in (tmp_path / "one.svg").read_text(encoding="utf-8")


def test_what_cannot_be_written_is_refused(result, tmp_path):
    with pytest.raises(InputError, match="picture format is 'gif'; expected one of png, svg, pdf"):
        save_figure(result.plot(), tmp_path / "picture.gif")
    with pytest.raises(FileError, match="cannot write"):
        save_figure(result.plot(), tmp_path / "missing" / "picture.png")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_there_is_a_sentence(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'allotment\[plots\]'"):
        result.plot()
