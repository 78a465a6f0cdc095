"""The study of the effect: its truth, its campaigns, and that the exact interval holds at all times."""

import numpy as np
import pytest

from studies.effect.campaigns import play
from studies.effect.speed import Setting, promise, speed
from studies.effect.study import (
    CAMPAIGNS,
    DAYS,
    FRESH,
    Coverage,
    clopper_pearson,
    costs,
    coverage,
    holds,
    outcome,
    report,
    rounded,
    row,
)
from studies.effect.worlds import ARMS, KINDS, World

UNITS = np.arange(ARMS) % 3


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[3]], ids=lambda kind: kind.name)
@pytest.mark.parametrize("cap", [0.4, 2.5, 4.0, 100.0, np.inf])
def test_expected_losses_are_what_happens(kind, cap):
    world, luck = World(kind, 5, 7), np.random.default_rng(1)
    lost = np.array([world.lost(3, UNITS, luck).sum() for _ in range(20_000)])
    error = np.minimum(lost, cap).std() / np.sqrt(lost.size)
    assert world.expected(3, UNITS, cap) == pytest.approx(np.minimum(lost, cap).mean(), abs=4.0 * error)
    assert world.expected(3, UNITS, 100.0) == pytest.approx(world.expected(3, UNITS))


def test_worlds_drift_and_have_situations():
    steady, drifting, week = (World(kind, 9, 2) for kind in KINDS[:3])
    assert (steady.rates == steady.rates[0]).all()
    assert (drifting.rates[0] != drifting.rates[1]).any()
    assert week.situation.tolist() == [0, 0, 0, 0, 0, 1, 1, 0, 0]
    assert (week.rates[4] != week.rates[5]).any()
    assert (week.rates[4] == week.rates[7]).all()


def test_a_campaign_without_control_rounds_withholds_nothing():
    played = play(KINDS[0], 0.0, 10, 3)
    assert not played.contrast.drawn.any()
    assert played.withheld.tolist() == [0.0] * 10
    assert play(KINDS[0], 0.5, 10, 3, before=5).contrast.drawn.size == 10


def test_the_exact_interval_holds_in_every_kind_of_campaign():
    """Fewer campaigns than the soak test plays, and shorter ones."""
    found = [outcome(kind, 40, FRESH + 900_000 + seed) for kind in KINDS for seed in range(6)]
    assert sum(not each.exact for each in found) <= 2


@pytest.mark.soak
def test_the_exact_interval_holds_in_95_of_100_campaigns():
    each = CAMPAIGNS // len(KINDS)
    found = [outcome(kind, DAYS, FRESH + 950_000 + seed) for kind in KINDS for seed in range(each)]
    assert len(found) == 1000
    assert sum(each.exact for each in found) >= 950


def test_larger_effects_show_sooner():
    large, small = (speed(Setting(15.0, effect, 0.25), 8, 1) for effect in (0.5, 0.3))
    assert large.rounds < small.rounds < 400
    assert large.capped < 0.01


def test_the_rounds_of_a_plan_are_enough_in_about_80_of_100_runs():
    found = promise(Setting(5.0, 0.5, 0.25), 100, 1)
    assert found.rounds == 95
    assert 0.7 < found.chance < 0.93
    assert found.rounds < found.exact < 4 * found.rounds


def test_shares_and_rows():
    assert clopper_pearson(0, 10)[0] == 0.0
    assert str(Coverage.of([True, True, False])) == "2 of 3 (9.4 to 99.2 %)"
    assert str(Coverage.of([])) == "none"
    assert rounded(np.inf) == "more than 3000"
    assert not holds((np.array([0.0, 1.0]), np.array([2.0, 2.0])), np.array([1.0, 0.5]))


def test_the_tables_have_a_row_for_each_kind():
    lines = list(coverage(KINDS[:2], 2, 12, 1, 1))
    assert [line.split(" | ")[0] for line in lines[1:]] == ["| steady", "| drift", "| all"]
    assert lines[-1].split(" | ")[2] == "none"  # twelve rounds are too few
    assert len(list(costs(KINDS[:1], 2, 12, 1, 1))) == 4
    assert report.__doc__
    assert row("all", [outcome(KINDS[0], 12, 1)]).startswith("| all | 1 of 1")
