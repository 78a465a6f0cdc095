import math

import numpy as np
import pytest
from hypothesis import given, settings

from allotment import (
    CsbDt,
    CsbSt,
    EqualSplit,
    InputError,
    MpTs,
    Problem,
    Setting,
    candidate_thresholds,
    simulate,
    trace,
)
from strategies import problems


@pytest.fixture(scope="module")
def instance_1():
    problem = Problem.named("paper-1")
    return simulate(problem, CsbSt(), horizon=10_000, replications=200, seed=0)["CSB-ST"]


def test_instance_1_as_printed(instance_1):
    assert 250 <= instance_1.mean[-1] <= 300
    assert np.mean(instance_1.search_rounds == 8) > 0.5
    assert np.mean([np.allclose(found, 0.7) for found in instance_1.found_thresholds]) > 0.9


def search_by_the_box(problem, losses, window):
    """The threshold estimation phase read off the paper's box, with lists that count from 1."""
    theta = [None, *candidate_thresholds(problem.arms, problem.budget).tolist()]
    low, high, quiet = 0, len(theta) - 1, 0
    guess = math.ceil(high / 2)
    grants = []
    for seen in losses:
        if guess == high:
            break
        probed = min(problem.arms, math.floor(problem.budget / theta[guess] + 1e-9))
        grants.append([theta[guess]] * probed + [0.0] * (problem.arms - probed))
        if any(seen[:probed]):
            low, quiet = guess, 0
            guess = low + math.ceil((high - low) / 2)
        else:
            quiet += 1
            if quiet == window:
                high, quiet = guess, 0
                guess = high - math.floor((high - low) / 2)
    return grants, theta[high] if guess == high else None


@given(problems(same_threshold=True))
@settings(max_examples=60, deadline=None)
def test_the_search_is_the_papers(problem):
    if problem.budget <= problem.slack:
        return
    policy = CsbSt()
    window = policy.window(Setting(problem.arms, problem.budget))
    played = trace(problem, policy, horizon=400, seed=7)
    grants, found = search_by_the_box(problem, played.losses, window)
    assert np.allclose(played.allocations[: len(grants)], np.array(grants).reshape(-1, problem.arms))
    ended = simulate(problem, policy, horizon=400, replications=1, seed=7)["CSB-ST"]
    assert ended.search_rounds.tolist() == [len(grants)]
    assert found == pytest.approx(ended.found_thresholds[0, 0])
    # With whole numbers Lemma 2 always holds: W rounds for each halving of the candidate set.
    size = candidate_thresholds(problem.arms, problem.budget).size
    assert len(grants) <= window * math.ceil(math.log2(size))


def test_the_window_is_a_count():
    assert CsbSt().window(Setting(20, 7.0)) == 5
    assert CsbSt().window(Setting(3, 3.0)) == 0
    assert CsbSt().window(Setting(3, 2.0)) == math.ceil(math.log(1 / 0.1) / (2 * math.log(1 / 0.9)))
    assert CsbSt(delta="1/T").window(Setting(20, 7.0, horizon=10_000)) == math.ceil(
        math.log(math.log2(14) * 1e4) / (7 * math.log(1 / 0.9))
    )
    assert CsbSt(delta=1e-320, epsilon=1e-300).window(Setting(20, 7.0)) == 2**62


def test_twenty_rounds_of_search_where_lemma_2_as_printed_allows_fewer():
    low = Problem.named("paper-1")
    problem = Problem(low.loss_rates, 0.3, low.budget)
    regret = simulate(problem, CsbSt(), horizon=50, replications=3, seed=1)["CSB-ST"]
    assert regret.search_rounds.tolist() == [20, 20, 20]
    assert np.allclose(regret.found_thresholds, 0.35)


def test_the_second_phase_is_mp_ts_with_what_was_found():
    problem = Problem([0.2, 0.9, 0.8, 0.1], 0.5, 1.0)
    played = trace(problem, CsbSt(), horizon=2000, seed=3)
    late = played.allocations[500:]
    assert set(np.unique(late)) == {0.0, 0.5}
    assert (late.sum(axis=1) == 1.0).all()
    assert (late[:, 1] == 0.5).mean() > 0.9


def test_severities_decide_whom_to_cover():
    problem = Problem([0.5, 0.5, 0.5], 0.5, 0.5, severities=[1, 1, 4])
    late = trace(problem, CsbSt(), horizon=1500, seed=3).allocations[1000:]
    assert (late[:, 2] == 0.5).mean() > 0.95


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"delta": 0.0}, "delta is 0.0; expected a number strictly between 0 and 1"),
        ({"delta": 1}, "delta is 1"),
        ({"delta": float("nan")}, "delta is nan"),
        ({"delta": "1/K"}, "delta is '1/K'; expected a number strictly between 0 and 1, or \"1/T\""),
        ({"epsilon": 1.0}, "epsilon is 1.0"),
        ({"epsilon": "small"}, "epsilon is 'small'"),
        ({"learner": EqualSplit()}, "learner is EqualSplit.*; expected a KnownThresholds policy"),
        ({"learner": MpTs(thresholds=0.5)}, "was given thresholds; expected none"),
        ({"label": 3}, "label is 3; expected a name"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(InputError, match=message):
        CsbSt(**parameters)


def test_one_over_t_needs_a_horizon():
    with pytest.raises(InputError, match="no horizon was given"):
        CsbSt(delta="1/T").start(3, 1.5, seed=1)
    with pytest.raises(InputError, match="no horizon was given"):
        CsbDt(delta="1/T").start(3, 1.5, seed=1)
    assert CsbSt(delta="1/T").start(3, 1.5, seed=1, horizon=100).ask().sum() <= 1.5


def test_the_published_window_and_probes_are_options():
    policy = CsbSt(window_rule="published", probed_arms="random")
    assert policy.window(Setting(20, 7.0)) == math.ceil(math.log(200) / (7 * math.log(1 / 0.9)))
    assert policy.window(Setting(3, 3.0)) == 0
    problem = Problem([0.0] * 20, 0.7, 7.0)
    search = trace(problem, policy, horizon=8, seed=1).allocations
    assert (np.count_nonzero(search, axis=1) == np.count_nonzero(search[0])).all()
    assert len({tuple(grants) for grants in search}) == 8
    for option in ("window_rule", "probed_arms"):
        with pytest.raises(InputError, match=f"{option} is 'other'; expected one of"):
            CsbSt(**{option: "other"})
