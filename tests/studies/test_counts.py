"""The study of counts, in small."""

import numpy as np
import pytest

import allotment as al
from studies.counts import attention, campaigns, high_counts
from studies.counts.attention import RATES, SCRIPT, UNITS, CensoredLikelihood, Settings
from studies.counts.campaigns import CountedWorld


def test_beliefs_computed_anew_face_the_same_incidents(monkeypatch):
    """With a half-life, curves are coarse, so both runs grant the same."""
    monkeypatch.setattr(high_counts, "HORIZON", 40)
    problem = high_counts.rising_problem(8.0, "losses")
    policy = al.AnyResponse(unit=0.1, losses="counts", half_life=50)
    as_it_is, anew = high_counts.regret_anew(problem, policy, luck_seed=3)
    assert as_it_is == pytest.approx(anew, rel=1e-9)
    assert 0.0 < anew < 40 * problem.loss_rates.sum()
    assert high_counts.regret_anew(problem, policy, luck_seed=4) != (as_it_is, anew)


def test_what_is_due_is_computed_anew():
    """`regret_anew` sets `due` in the state of the learner: a wrong weight is then gone after a round."""
    policy = al.AnyResponse(unit=0.5, losses="counts")

    def expected(spoilt, due):
        learner = policy.start(2, 0.5, seed=0)
        learner.tell([3.0, 1.0], [0.0, 0.5])
        learner.state.beliefs.log_events[:, ::2] += spoilt
        learner.state.beliefs.rows.due[:] = due
        learner.tell([0.0, 0.0], [0.0, 0.5])
        return policy.summary(learner.state).losses

    right = expected(0.0, 0.0)
    assert np.abs(expected(5.0, 0.0) - right).max() < 1e-12
    assert np.abs(expected(5.0, 100.0) - right).max() > 1e-3


@pytest.mark.parametrize(("sees", "capped"), [("losses", False), ("finds", False), ("finds", True)])
def test_a_world_of_counts_is_what_it_is_called(sees, capped):
    for seed in range(8):
        world = CountedWorld(seed, sees, capped)
        assert (world.curves[:, 0] == 1.0).all()
        assert (np.diff(world.curves, axis=1) <= 1e-12).all()
        assert world.best() <= world.remaining(np.full(world.rates.size, world.budget // world.rates.size))
    units, luck = np.minimum(np.arange(world.rates.size), world.steps), np.random.default_rng(0)
    seen = np.mean([world.seen(units, luck) for _ in range(4000)], axis=0)
    left = world.rates * world.curves[np.arange(world.rates.size), units]
    expected = left if sees == "losses" else world.rates - left
    assert np.abs(seen - expected).max() < 6.0 * np.sqrt(world.rates.max() / 4000)


def test_the_sites_are_those_of_the_benchmark():
    problem, world = attention.attention_problem(), CountedWorld(0, "finds", capped=True)
    assert world.best() == pytest.approx(problem.best.loss)
    assert sum(RATES) - problem.best.loss == pytest.approx(5.945, abs=5e-4)
    assert world.remaining(np.array([3, 2, 1, 0, 0])) == pytest.approx(world.best())


def test_the_likelihood_knows_that_units_cap_finds():
    rng, likelihood = np.random.default_rng(1), CensoredLikelihood()
    for _ in range(3000):
        units = rng.integers(1, UNITS + 1, len(RATES))
        likelihood.add(units, np.minimum(units, rng.poisson(RATES)))
    assert likelihood.best() == pytest.approx(RATES, rel=0.1)


def test_a_window_forgets_what_was_before_it():
    rng = np.random.default_rng(2)
    short, long = CensoredLikelihood(window=5), CensoredLikelihood()
    rounds = [(rng.integers(0, 4, len(RATES)), rng.integers(0, 2, len(RATES))) for _ in range(12)]
    for units, found in rounds:
        short.add(units, np.minimum(units, found))
    for units, found in rounds[-5:]:
        long.add(units, np.minimum(units, found))
    assert short.logs == pytest.approx(long.logs)


@pytest.mark.parametrize("spread", [attention.in_proportion, attention.greedily, attention.as_coded])
def test_rules_of_the_benchmark_spend_all_units(spread):
    rng = np.random.default_rng(0)
    for means in (np.ones(len(RATES)), np.array(RATES), np.array([0.05, 0.05, 50.0, 0.05, 0.05])):
        units = spread(means, rng)
        assert units.sum() == UNITS and units.min() >= 0


def test_the_greedy_text_finds_the_best_plan_and_its_code_starts_at_the_last_site():
    rng = np.random.default_rng(0)
    assert attention.greedily(np.array(RATES), rng).tolist() == [3, 2, 1, 0, 0]
    assert attention.as_coded(np.zeros(len(RATES)), rng).tolist() == [0, 0, 0, 0, UNITS]


def test_settings_of_the_benchmark_change_what_its_rule_finds(monkeypatch):
    monkeypatch.setattr(attention, "ROUNDS", 60)
    found = {
        settings: attention.found_by_rule(attention.as_coded, 5, settings)
        for settings in (Settings(), SCRIPT)
    }
    assert found[SCRIPT] < found[Settings()] < 60 * UNITS


def test_a_campaign_ends_near_its_best_plan(monkeypatch):
    monkeypatch.setattr(campaigns, "DAYS", 40)
    monkeypatch.setattr(campaigns, "LAST", 10)
    last, best, nothing = campaigns.last_weeks("finds", True, seed=0)
    assert best <= last < nothing
    assert last < 1.1 * best


def test_a_ratio_beside_beliefs_computed_anew_has_ends_though_few_runs_differ():
    anew = np.full(20, 100.0)
    assert high_counts.beside_anew(anew, anew) == "1.000 (1.000 to 1.000), 20 of 20 the same"
    ours = np.where(np.arange(20) == 3, 140.0, anew)
    assert high_counts.beside_anew(ours, anew) == "1.020 (1.000 to 1.060), 19 of 20 the same"
