import numpy as np
import pytest

from allotment import CsbDt, CsbDtUcb, CsbSt, InputError, Problem, Setting
from allotment.experiments.paper import running
from allotment.experiments.paper.paper_figures import paper_figures
from allotment.experiments.paper.running import measure
from allotment.simulation.partial_run import play_together


def experiments(figure):
    return [each for part in figure.parts for each in part.experiments]


def test_all_figures_in_both_settings_unless_told_otherwise():
    stems = [figure.stem for figure in paper_figures()]
    paper = [f"fig{n}-{setting}" for n in (1, 2, 3) for setting in ("printed", "published")]
    assert stems == [*paper, "fig4-printed"]
    assert [figure.stem for figure in paper_figures(["fig3", "fig1", "fig3"], ["printed"])] == [
        "fig3-printed",
        "fig1-printed",
    ]


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (["fig5"], ["printed"], "figure is 'fig5'; expected one of fig1, fig2, fig3, fig4"),
        (["fig1"], ["other"], "setting is 'other'; expected one of printed, published"),
    ],
)
def test_unknown_figures_and_settings_are_refused(names, settings, message):
    with pytest.raises(InputError, match=message):
        paper_figures(names, settings)


def test_as_printed_means_the_default_policies_on_the_printed_instances():
    first, second, third, _ = paper_figures(settings=["printed"])
    assert {each.policy for each in experiments(first) + experiments(second)} == {CsbSt()}
    assert [each.policy for each in experiments(third)] == [CsbDt(), CsbDtUcb()] * 2
    assert experiments(first)[2].problem == experiments(second)[2].problem == Problem.named("paper-1")
    hopeless, roomier = third.parts
    assert hopeless.experiments[0].problem == Problem.named("paper-2")
    assert hopeless.experiments[0].problem.best.hopeless
    assert not roomier.experiments[0].problem.best.hopeless
    assert "hopeless" in third.caption


def test_as_published_means_what_the_figures_were_run_with():
    first, second, _ = paper_figures(settings=["published"])
    assert [each.problem.budget for each in experiments(first)] == [3, 5, 7, 9, 11]
    assert [each.problem.thresholds[0] for each in experiments(second)] == [0.45, 0.55, 0.7, 0.85, 0.95]
    rates = experiments(first)[0].problem.loss_rates
    assert np.abs(rates - (0.7 - np.arange(20) / 40)).max() <= 0.005 + 1e-9
    assert [experiments(first)[i].policy.window(Setting(20, q)) for i, q in ((0, 3.0), (2, 7.0))] == [17, 8]
    assert experiments(first)[0].policy.probed_arms == "random"


def test_an_experiment_of_two_figures_is_run_once_and_stands_in_both():
    figures = paper_figures(["fig1", "fig2"], ["printed"])
    made = measure(figures, replications=2, seed=3, progress=False)
    assert len(made.rows) == 10
    in_first, in_second = made.rows[2], made.rows[7]
    assert (in_first.line, in_second.line) == ("Q = 7", "θ = 0.7")
    assert in_first.mean == in_second.mean
    assert all(row.low < row.mean < row.high and row.z is not None for row in made.rows)


def test_one_replication_has_no_interval_and_no_z():
    (row, _) = measure(paper_figures(["fig3"], ["published"]), replications=1, seed=0, progress=False).rows
    assert np.isnan(row.low)
    assert row.z is None


@pytest.mark.parametrize("order", [iter, reversed], ids=["first come", "last come"])
def test_figures_with_many_panels_are_ready_first_whichever_run_ends_first(monkeypatch, order):
    def play_in_order(runs, crew, bar, finished):
        for run in order(list(runs)):
            play_together([run], crew, bar, finished)

    monkeypatch.setattr(running, "play_together", play_in_order)
    figures, ready = paper_figures(["fig3"], ["published", "printed"]), []
    made = measure(figures, replications=1, seed=0, workers=1, progress=False, ready=ready.append)
    assert [each.figure.stem for each in made.figures] == ["fig3-published", "fig3-printed"]
    assert ready == made.figures[::-1]
