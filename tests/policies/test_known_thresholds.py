import numpy as np
import pytest

from allotment import Clairvoyant, Cts, EqualSplit, InputError, MpTs, Problem, RandomSplit, simulate, trace


def test_mp_ts_and_cts_agree_where_thresholds_are_equal():
    problem = Problem(np.linspace(0.1, 0.9, 6), 0.5, 1.5)
    policies = [MpTs(thresholds=0.5), Cts(thresholds=problem.thresholds)]
    result = simulate(problem, policies, horizon=500, replications=3, seed=1)
    assert np.array_equal(result["MP-TS"].paths, result["CTS"].paths)


def test_regret_of_the_baselines_is_what_it_must_be():
    problem = Problem.named("paper-2")
    policies = [Clairvoyant(problem), EqualSplit(), RandomSplit()]
    result = simulate(problem, policies, horizon=1000, replications=5, seed=1)
    assert (result["Clairvoyant"].paths == 0.0).all()
    assert result["Equal split"].final == pytest.approx(1000 * (0.58 + 0.89 + 0.9 - 0.3), rel=1e-9)
    assert (result["Random split"].final > 0.0).all()


def test_random_splits_are_a_flat_dirichlet():
    problem = Problem([0.5] * 4, 1.0, 0.8)
    grants = trace(problem, RandomSplit(), horizon=20_000, seed=1).allocations / 0.8
    assert grants.sum(axis=1) == pytest.approx(np.ones(20_000))
    # Dirichlet(1, 1, 1, 1): mean 1/4, variance 3/80; six standard errors allowed.
    assert grants.mean(axis=0) == pytest.approx(np.full(4, 0.25), abs=6 * (3 / 80 / 20_000) ** 0.5)
    assert grants.var(axis=0) == pytest.approx(np.full(4, 3 / 80), rel=0.08)


def test_learners_with_known_thresholds_learn():
    problem = Problem.named("paper-2")
    result = simulate(problem, Cts(thresholds=problem.thresholds), horizon=5000, replications=100, seed=1)
    assert 30 <= result["CTS"].mean[-1] <= 52  # an independent trial gave 40


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MpTs(thresholds=[0.5, 0.6]), "MP-TS needs one threshold for all arms; thresholds differ"),
        (lambda: MpTs(thresholds=0.0), r"thresholds\[0\] is 0.0; expected numbers above 0 and at most 1"),
        (lambda: Cts(thresholds="many"), "thresholds is .*; expected numbers above 0"),
        (lambda: Cts().start(3, 1.0, seed=1), "CTS has no thresholds; expected thresholds="),
        (lambda: Cts(thresholds=[0.5, 0.5]).start(3, 1.0, seed=1), "thresholds has 2 numbers; expected 3"),
        (lambda: Clairvoyant("paper-1"), "problem is 'paper-1'; expected a Problem"),
        (
            lambda: Clairvoyant(Problem([0.5], 1, 1)).start(2, 1.0, seed=1),
            "knows a problem with 1 arms and budget 1; expected the same, not 2 and 1",
        ),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_equal_thresholds_may_be_listed():
    assert MpTs(thresholds=[0.5, 0.5]) == MpTs(thresholds=0.5)


@pytest.mark.parametrize("name", ["truncate", "cover_worthless"])
def test_options_that_are_true_or_false_are_nothing_else(name):
    with pytest.raises(InputError, match=f"{name} is 'yes'; expected true or false"):
        Cts(**{name: "yes"})


def test_truncation_rounds_thresholds_to_the_grid_and_never_overspends():
    problem = Problem([0.9, 0.8, 0.3], [0.509, 0.509, 0.2], 1.0)
    policy = Cts(thresholds=problem.thresholds, scale=100, truncate=True)
    played = trace(problem, policy, horizon=300, seed=1)
    assert played.allocations.sum(axis=1).max() <= 1.0 + 1e-12
    assert set(np.unique(played.allocations)) <= {0.0, 0.51, 0.2}
    assert played.regret.min() >= 0.0
