"""The warnings of drift and fit: their statistics, their sentences, and histories that are not complete."""

import os
from datetime import timedelta

import numpy as np
import pytest

from allotment import Campaign
from allotment.campaign.answers.checks.check import course_of, drift_finding, fit_finding, too_early
from allotment.campaign.answers.checks.simulated import (
    ALLOWED,
    LEAST_VARIANCE,
    SHIFT,
    SIMULATED,
    Comparison,
    Tallies,
    compared,
    misfit_of,
    night_spread_of,
    shift_of,
    spread_of,
)
from allotment.simulation.known_curves import Rounds
from studies.checks.worlds import Trouble, played

EXTREME, USUAL = Comparison(9.0, ALLOWED, SIMULATED), Comparison(1.0, 7, 12)


@pytest.fixture
def plain_decider():
    """Simulated campaigns need the decision itself."""


def rounds(units, losses):
    units, losses = np.array(units), np.array(losses, float)
    return Rounds(np.zeros(len(units), np.int64), units, losses)


def test_a_shift_compares_rounds_at_the_same_amount():
    some = rounds([[0], [1], [0], [1], [0], [0]], [[0], [1], [1], [1], [1], [np.nan]])
    found = shift_of(some, np.array([2, 4]), 2, 1)
    # Amount 0: losses 0, 1, 1 in rounds 0, 2, 4; amount 1: losses in both rounds, so nothing can be seen.
    assert found.excess[:, 0] == pytest.approx([2 - 2 * 2 / 3, 1 - 2 * 1 / 3])
    spread = 2 / 3 * 3 / 2
    variance = np.array([2 / 9 * spread, 2 / 9 * spread])
    assert found.score[:, 0] == pytest.approx(0.5 * found.excess[:, 0] ** 2 / (variance + LEAST_VARIANCE))
    assert found.after[:, 0] == pytest.approx([3, 1]) and found.largest == 0


def test_tallies_and_misfit_add_up_cells():
    some = rounds([[0, 1], [0, 0], [1, 1]], [[1, 0], [0, np.nan], [1, 0]])
    found = Tallies.of(some, 2, 1)
    assert found.rounds.tolist() == [[[2, 1], [0, 2]]] and found.losses.tolist() == [[[1, 1], [0, 0]]]
    expected = np.array([[[0.5, 0.5], [0.5, 0.25]]])
    deviance = misfit_of(found, expected, counts=False)
    assert deviance[0] == pytest.approx(2 * np.log(2)) and deviance[1] == pytest.approx(-4 * np.log(0.75))
    assert misfit_of(found, found.losses / np.maximum(found.rounds, 1), counts=True)[0] == pytest.approx(0)


def test_spread_is_about_1_a_round_for_poisson_counts_and_more_for_others():
    luck, expected = np.random.default_rng(1), np.full((1, 2, 1), 3.0)
    units = np.zeros((4000, 2), np.int64)
    plain = Rounds(units[:, 0], units, luck.poisson(3.0, (4000, 2)).astype(float))
    assert spread_of(plain, expected) / 4000 == pytest.approx(1.0, abs=0.1)
    assert night_spread_of(plain, expected, counts=True).mean() == pytest.approx(1.0, abs=0.1)
    busy = luck.gamma(2.0, 1.5, (4000, 1)) * np.ones(2)
    other = plain._replace(losses=luck.poisson(busy).astype(float))
    assert (spread_of(other, expected) / 4000 > 2.0).all()
    assert night_spread_of(other, expected, counts=True).mean() > 3.0


def test_a_change_is_named_with_its_day_its_places_and_a_half_life():
    campaign = played("linear", 3, Trouble(drift=4.0)).until(150)
    found = compared(campaign)
    assert found[SHIFT].is_extreme
    drift = drift_finding(campaign, found[SHIFT])
    assert drift.is_raised and not drift.is_alarm and drift.result == "warning"
    assert drift.command.startswith("allotment change STORE --half-life ")
    assert 40 <= drift.numbers["days_since"] <= 80 and "Zone " in drift.sentence
    assert f"{found[SHIFT].reached} of {SIMULATED}" in drift.sentence
    assert compared(campaign) == found  # the same history gives the same answer


def test_without_a_change_few_simulations_are_enough():
    shares, campaign = [], played("linear", 3)
    found = compared(campaign.until(90), shares.append)
    assert not any(each.is_extreme for each in found.values())
    assert found[SHIFT].simulated < SIMULATED and shares[0] == 0.0 and shares[-1] == 1.0
    drift = drift_finding(campaign.course, USUAL)
    fit = fit_finding(campaign.course, {SHIFT: USUAL, "misfit": USUAL})
    assert drift.state == fit.state == "nothing found" and "7 of 12" in drift.sentence and not fit.remedy


@pytest.mark.parametrize(
    ("name", "word"), [("misfit", "Largest shares: Zone"), ("nights", "Most unusual: 2026-")]
)
def test_a_bad_fit_names_places_or_rounds(name, word):
    course = played("linear", 3).until(60)
    found = fit_finding(course, {SHIFT: USUAL, name: EXTREME})
    assert found.is_raised and word in found.sentence and found.remedy


def test_too_early():
    course = played("linear", 3).until(20)
    assert not course.is_long_enough
    for each in (*too_early(course), *too_early(None)):
        assert each.state == "too early" and "it takes 28" in each.sentence


def history(path, days=30, **settings):
    """A campaign with late, missing, corrected and imported reports, and with a new and a retired place."""
    given = {"arms": ["Dock", "Gate", "Yard"], "budget": 3, "unit": 0.5, "most": 2, "seed": 4, **settings}
    made = Campaign.create(path / "h.db", "h", **given)
    luck = np.random.default_rng(2)
    first = made.day() - timedelta(days=days)
    for day in range(days):
        if day == 6:
            made.add_arm("Shed", most=2)
        for each in made.plans_for(first + timedelta(days=day)):
            plan = each.plan
            told = {name: int(luck.random() < 0.3) for name in plan.amounts if luck.random() < 0.9}
            if told:
                made.tell(plan.id, told, amounts={next(iter(told)): 0.75})
    made.retire_arm("Yard")
    log = path / "log.csv"
    situation = ",situation" if "situations" in settings else ""
    named = f",{settings['situations'][0]}" if situation else ""
    row = f"2020-12-24,Dock,0,1{named}\n2020-12-25,Dock,1,0{named}\n"
    log.write_text(f"date,place,amount,incidents{situation}\n{row}", encoding="utf-8")
    made.import_log(log)
    return made


def test_the_course_has_active_places_and_evidence_from_elsewhere(tmp_path):
    with history(tmp_path) as campaign:
        state = campaign._current()
        course = course_of(state)
        assert course.names == ["Dock", "Gate", "Shed"] and course.rounds.losses.shape == (30, 3)
        assert np.isnan(course.rounds.losses[:6, 2]).all()
        assert set(course.rounds.units[:, 0].tolist()) <= set(range(5))
        assert sum(row.rounds for row in course.before) == 2
        every = {(row.arm, row.amount): row.rounds for row in course.evidence(course.rounds)}
        known = [row for row in campaign.evidence() if row.arm != "Yard"]
        assert sum(every.values()) == sum(row.rounds for row in known)


KINDS = {
    "plain": {},
    "counts": {"losses": "counts"},
    "finds": {"sees": "finds"},
    "half-life": {"half_life": 20, "severities": 2, "crew": 1, "moves": 2},
    "situations": {"situations": ["day", "night"]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_campaign_can_be_checked(kind, tmp_path, monkeypatch):
    if os.environ.get("NUMBA_DISABLE_JIT"):
        pytest.skip("takes minutes without compiling")
    monkeypatch.setattr("allotment.campaign.answers.checks.simulated.SIMULATED", 3)
    with history(tmp_path, **KINDS[kind]) as campaign:
        shares = []
        found = campaign.checkup(progress=shares.append)
        assert [each.kind for each in found.findings] == ["calendar", "drift", "fit"]
        assert all(each.state in ("nothing found", "raised", "too early") for each in found.findings)
        assert found.findings[1].state != "too early" and shares[-1] == 1.0
        assert found == campaign.checkup() and campaign.check() == found.alarms
        assert len(found.rows()) == 3 and "drift" in str(found)
