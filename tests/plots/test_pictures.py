"""Every picture but regret over rounds: what is in it, on axes of one's own and on new ones."""

import numpy as np
import pytest

from allotment import (
    Clairvoyant,
    EqualSplit,
    Exponential,
    InputError,
    Posterior,
    Problem,
    RandomSplit,
    simulate,
    trace,
)
from allotment.plots.figures import figure_bytes

STEPS = Problem([0.5, 0.4], 0.6, 0.6, names=["Dock", "Gate"])
SOFT = Problem([0.5, 0.4], budget=0.6, response=Exponential(0.3), unit=0.1)


@pytest.fixture(scope="module")
def result():
    return simulate(
        Problem([0.5, 0.4], 0.3, 0.5), [EqualSplit(), RandomSplit()], horizon=50, replications=9, seed=0
    )


@pytest.fixture(scope="module")
def played():
    return trace(STEPS, RandomSplit(), horizon=700, seed=0)


def test_each_draws_on_axes_of_ones_own_and_returns_them(result, played):
    from matplotlib.figure import Figure

    posterior = Posterior.on_grid(0.25).after(0.25, losses=1)
    for draw in (result.plot, result.plot_final, played.plot, STEPS.plot, SOFT.plot, posterior.plot):
        axes = Figure().add_subplot()
        assert draw(axes) is axes
        assert axes.has_data()
        assert figure_bytes(draw(width=3.3), "png").startswith(b"\x89PNG")
        with pytest.raises(InputError, match="ax is 3; expected axes of matplotlib"):
            draw(3)
        with pytest.raises(InputError, match="width is 0; expected inches, from 2 to 50"):
            draw(width=0)


def test_a_pdf_holds_true_type_fonts_and_is_the_same_each_time(result, tmp_path):
    for name in ("one.pdf", "two.pdf"):
        result.plot().savefig(tmp_path / name)
    content = (tmp_path / "one.pdf").read_bytes()
    assert b"/Type3" not in content
    assert b"/FontFile2" in content
    assert figure_bytes(result.plot(), "pdf") == figure_bytes(result.plot(), "pdf")


def test_lines_are_chosen_with_their_bands(result):
    (axes,) = result.plot(policies="Random split", level=0.5, labels="none").axes
    regret, (line,) = result["Random split"], axes.lines
    assert line.get_ydata()[1:].tolist() == regret.mean.tolist()
    narrow, wide = regret.interval(0.5), regret.interval(0.99)
    assert narrow[1][-1] - narrow[0][-1] < regret.high[-1] - regret.low[-1] < wide[1][-1] - wide[0][-1]
    band = axes.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(narrow[1].max())
    (axes,) = result.plot(policies=["Random split"], quantiles=(0, 1), labels="none").axes
    assert axes.lines[0].get_ydata()[1:].tolist() == np.median(regret.paths, axis=0).tolist()
    assert axes.collections[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(regret.paths.max())
    assert axes.get_ylabel() == "Cumulative regret (median)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policies": []}, r"policies is \[\]; expected at least one of Equal split, Random split"),
        ({"policies": ["CTS"]}, "no policy is labelled 'CTS'; expected one of Equal split"),
        ({"level": 95}, "level is 95; expected a number strictly between 0 and 1"),
        ({"quantiles": (0.9, 0.1)}, r"quantiles is \(0.9, 0.1\); expected two numbers from 0 to 1"),
        ({"quantiles": 0.9}, "quantiles is 0.9; expected two numbers"),
        ({"labels": "left"}, "labels is 'left'; expected one of auto, beside, legend, none"),
        ({"bounds": "Theorem 9"}, "bound is 'Theorem 9'; expected one of equation 3, Theorem 1, Theorem 2"),
    ],
)
def test_bad_options_are_named(result, options, message):
    with pytest.raises(InputError, match=message):
        result.plot(**options)


def test_the_papers_bounds_are_drawn_by_name(result):
    (axes,) = result.plot(bounds="equation 3", labels="legend").axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [*result, "asymptotic lower bound (equation 3)"]
    soft = simulate(SOFT, EqualSplit(), horizon=50, replications=2, seed=0)
    with pytest.raises(InputError, match="there are no thresholds here"):
        soft.plot(bounds=["equation 3"])
    assert not soft.plot(bounds="all").axes[0].texts[1:]  # none of them applies


def test_the_spread_of_final_regrets_shows_every_run(result):
    (axes,) = result.plot_final(policies="Random split").axes
    steps, mean = axes.lines
    final = np.sort(result["Random split"].final)
    assert steps.get_xdata()[1:].tolist() == final.tolist()
    assert steps.get_ydata()[-1] == 1.0
    assert mean.get_xdata()[0] == pytest.approx(final.mean())
    (axes,) = result.plot_final(kind="histogram", logx=True).axes
    counted = [line.get_ydata().sum() for line in axes.lines if len(line.get_ydata()) > 1]
    assert counted == [9, 9]
    with pytest.raises(InputError, match="kind is 'pie'; expected one of ecdf, histogram"):
        result.plot_final(kind="pie")


@pytest.mark.parametrize(("horizon", "replications"), [(1, 1), (20, 3)])
def test_no_regret_and_next_to_no_rounds_can_be_drawn(horizon, replications):
    """On logarithmic axes, too, where what is 0 stands at the edge."""
    policies = [Clairvoyant(STEPS), EqualSplit()]
    result = simulate(STEPS, policies, horizon=horizon, replications=replications, seed=0)
    for chosen in ("Clairvoyant", None):
        for logarithmic in (False, True):
            figure_bytes(result.plot(policies=chosen, logx=logarithmic, logy=logarithmic), "png", 50)
            for kind in ("ecdf", "histogram"):
                figure_bytes(result.plot_final(policies=chosen, kind=kind, logx=logarithmic), "png", 50)


def test_a_trace_is_drawn_with_a_lane_for_each_arm(played):
    (axes,) = played.plot(first=11, last=60).axes
    assert [each.get_text() for each in axes.get_yticklabels()] == ["Dock", "Gate"]
    assert axes.get_xlim() == (10.5, 60.5)
    grants, losses = (each.get_data() for each in axes.patches[2:4])  # of the last arm, in the lowest lane
    assert grants.values.tolist() == pytest.approx((0.62 * played.allocations[10:60, 1]).tolist())
    assert losses.values.tolist() == pytest.approx((-0.25 * played.losses[10:60, 1]).tolist())
    (axes,) = played.plot().axes
    assert "means of 3 rounds" in axes.get_xlabel()
    assert axes.patches[0].get_data().values.size == 234
    for bad in ({"first": 0}, {"first": 701}, {"first": 20, "last": 10}, {"last": 701}):
        with pytest.raises(InputError, match="(first|last) is"):
            played.plot(**bad)


def test_responses_are_drawn_with_what_is_best():
    (axes,) = STEPS.plot(labels="legend").axes
    drop, best = axes.lines[:2]
    assert drop.get_xydata().tolist() == [[0.0, 0.5], [0.6, 0.5], [0.6, 0.0], [1.0, 0.0]]
    assert best.get_xydata().tolist() == [[0.6, 0.0]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["Dock", "Gate"]
    (axes,) = SOFT.plot().axes
    at_best = [line.get_xydata()[0] for line in axes.lines[1::2]]
    assert [x for x, _ in at_best] == SOFT.best.allocation.tolist()
    assert sum(y for _, y in at_best) == pytest.approx(SOFT.best.loss)
    many = Problem.random(12, seed=1)
    (axes,) = many.plot().axes
    assert len(axes.get_legend().get_texts()) == 2
    assert len(axes.lines) == 24


def test_a_posterior_is_drawn_with_the_chance_of_no_threshold():
    posterior = Posterior.on_grid(0.25, uncoverable=0.2)
    (axes,) = posterior.plot().axes
    assert axes.patches[0].get_data().values.tolist() == pytest.approx([0.2] * 4)
    assert axes.patches[1].get_height() == pytest.approx(0.2)
    assert axes.get_xticklabels()[-1].get_text() == "never"
