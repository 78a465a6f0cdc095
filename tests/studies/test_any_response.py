"""The study of AnyResponse, in small: its numbers are what its tables say, its worlds what its page says."""

import numpy as np

import allotment as al
from studies.any_response import long_run
from studies.any_response.further import CHANGES_AT, changing_world, daily_losses
from studies.any_response.pictures import SHOWN, draw, stored_panels
from studies.any_response.study import (
    RULES,
    YARDSTICK,
    Outcome,
    choosing_table,
    confirming_table,
    measure,
)
from studies.any_response.worlds import (
    CHOOSING,
    CONFIRMING,
    DAYS,
    KINDS,
    PROBLEMS,
    daily_problem,
    peer_problem,
    problem_in,
)

PAIR = ("TS on pairs", "TS on pairs, monotone", "CUCB-DRA", "CUCB-DRA, monotone")


def test_what_is_measured_is_what_simulate_gives():
    problem = problem_in("logistic", CHOOSING)
    found = measure([("logistic", problem)], {"split": lambda _: al.EqualSplit()}, replications=2, horizon=60)
    regret = al.simulate(problem, al.EqualSplit(), horizon=60, replications=2, seed=0)["Equal split"].mean
    assert found.regret["logistic"]["split"][0] == regret[-1]
    np.testing.assert_allclose(
        found.late["logistic"]["split"], problem.regret(np.full(8, problem.budget / 8))
    )
    assert set(found.regret["logistic"]) == {"split", YARDSTICK}


def test_tables_hold_medians_of_ratios():
    regret = {YARDSTICK: [10.0, 20.0, 40.0], "AnyResponse": [20.0, 30.0, 40.0], "Joint": [10.0, 10.0, 10.0]}
    regret |= {name: [100.0 + k, 100.0, 100.0] for k, name in enumerate(PAIR)} | {"Equal split": [200.0] * 3}
    found = Outcome({"step": {name: np.array(values) for name, values in regret.items()}}, {})
    assert found.ratio("step", "AnyResponse") == 1.5
    row = confirming_table(found).splitlines()[-1]
    assert row.startswith("| step | 20 | 30 |") and row.endswith("| 1.50 | 0.30 | 3.00 |")
    assert "| AnyResponse | 1.50 | 1.50 |" in choosing_table(found)


def test_the_kept_rule_is_among_the_rules():
    assert any(rule.parameters() == al.AnyResponse().parameters() for rule in RULES)
    assert len({rule.label for rule in RULES}) == len(RULES)


def test_suites_share_no_problem():
    assert CHOOSING + PROBLEMS <= CONFIRMING


def test_daily_losses_depend_on_the_seed_alone():
    problem = daily_problem("step", 0.2, 3)
    first, again, other = (daily_losses(problem, al.EqualSplit(), 0, seed) for seed in (1, 1, 2))
    assert first == again != other
    chance = problem.loss_rates * problem.remaining(np.full(problem.arms, 0.25))
    spread = np.sqrt(DAYS * (chance * (1 - chance)).sum())
    assert abs(first - DAYS * chance.sum()) < 5 * spread


def test_half_of_the_arms_swap():
    world = changing_world("leak", CONFIRMING)
    before, after = world.best_in(1).allocation, world.best_in(CHANGES_AT).allocation
    np.testing.assert_array_equal(before[[1, 0, 3, 2, *range(4, 8)]], after)
    assert (before != after).any()


def test_the_peers_world():
    problem = peer_problem(0)
    assert (problem.arms, problem.unit, problem.budget, problem.sees) == (25, 0.1, 5.0, "finds")
    assert (problem.loss_rates == 1.0).all() and (np.diff(problem.table, axis=1) <= 0.0).all()


def test_the_figure_shows_every_world_and_policy():
    stored = stored_panels()
    assert list(stored["worlds"]) == list(KINDS)
    assert all(set(regrets) == set(SHOWN) for regrets in stored["worlds"].values())
    assert [axes.get_title() for axes in draw(stored).axes] == list(KINDS)


def test_growth_in_the_long_run_has_an_interval_that_covers_it():
    """Of 400 suites whose regret grows by 1.3 on average, about 95 % have 1.3 in their interval."""
    stream = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        before = stream.uniform(50.0, 150.0, 32)
        last = before * stream.uniform(1.1, 1.5, 32)
        found = long_run.growth(np.column_stack([before / 2.0, before, last]))
        covered += found.low <= 1.3 <= found.high
    assert 0.91 <= covered / 400 <= 0.98  # 95 %, and four standard errors to either side


def test_the_long_run_prints_a_row_for_every_world_and_pairs_outside_the_family(monkeypatch):
    monkeypatch.setattr(long_run, "ROUNDS", (5, 10, 20))
    monkeypatch.setattr(long_run, "FAMILY", ("step",))
    rows = "\n".join(long_run.report(problems=2, workers=1)).splitlines()
    assert [row.split(" | ")[0] for row in rows[2:]] == [
        "| step",
        "| exponential, no arm left alone",
        "| piecewise",
        "| piecewise, TS on pairs",
        "| piecewise, TS on pairs, monotone",
        "| stairs",
        "| stairs, TS on pairs",
        "| stairs, TS on pairs, monotone",
    ]
    assert all(float(row.split(" | ")[4].split(" (")[0]) >= 1.0 for row in rows[2:])
