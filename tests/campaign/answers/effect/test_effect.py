"""The effect: an unbiased estimate, caps, missing reports, refusals, and its words."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import product

import numpy as np
import pytest
from scipy.stats import fisher_exact

from allotment.campaign.answers.effect.confidence_sequences import exact_limits
from allotment.campaign.answers.effect.effect import Awaiting, Effect, Interval, effect_of
from allotment.campaign.answers.effect.effect_duration import duration_of
from allotment.campaign.planning.compared_rounds import (
    ComparedRound,
    Contrast,
    differing_shares,
    first_limits,
)
from allotment.errors import ConflictError, InputError, NotFoundError
from allotment.web.work.plain_records import json_of, record_of

FIRST = date(2026, 3, 1)
PLAIN = ComparedRound(FIRST, None, False, 0.25, 2.5, 5.0, 2.0, 2.0, 2.0, 0, 10)
LIMITS = first_limits(5.0, 0.25)
WAITING = Awaiting("4", date(2026, 1, 8), 16)


def rounds_of(count, prevents=2.5, seed=1, share=0.25, **parts):
    """Rounds of a world in which plans prevent something of 5 losses."""
    stream, found = np.random.default_rng(seed), []
    for day in range(count):
        drawn = bool(stream.random() < share)
        lost = float(stream.poisson(5.0 if drawn else 5.0 - prevents))
        lost_of = dict.fromkeys(("losses", "least_losses", "most_losses"), lost)
        day = FIRST + timedelta(day)
        found.append(replace(PLAIN, date=day, drawn=drawn, share=share, **lost_of, **parts))
    return found


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.8])
@pytest.mark.parametrize("expected", [(0.0, 0.0), (0.4, 1.3), (30.0, 70.0)])
def test_the_estimate_is_unbiased_whatever_was_expected(share, expected):
    """The expectation over all draws and losses of two rounds; the second round answers the first."""
    limits = first_limits(1.0, share)
    chances = {True: {0: 0.2, 1: 0.3, 9: 0.5}, False: {0: 0.7, 2: 0.2, 7: 0.1}}
    mean = truth = total = 0.0
    for first, second in product(product((True, False), range(3)), repeat=2):
        weight, terms, effects, before = 1.0, [], [], 0
        for drawn, number in (first, second):
            lost, chance = list(chances[drawn].items())[number]
            weight *= chance * (share if drawn else 1.0 - share)
            plan, comparison = expected[0] + 0.5 * before, expected[1] + before
            contrast = Contrast.of([drawn], [share], [plan], [comparison], limits)
            terms.append(contrast.terms(np.array([float(lost)]))[0])
            effects.append(
                sum(p * min(x, contrast.caps[0]) for x, p in chances[True].items())
                - sum(p * min(x, contrast.caps[0]) for x, p in chances[False].items())
            )
            before = lost
        total += weight
        mean += weight * np.mean(terms)
        truth += weight * np.mean(effects)
    assert total == pytest.approx(1.0)
    assert mean == pytest.approx(truth)


def test_no_round_leaves_the_limits():
    stream = np.random.default_rng(5)
    count = 4000
    for share, first in product((0.05, 0.25, 0.5, 0.9), (0.0, 0.2, 5.0, 40.0)):
        limits = first_limits(first, share)
        expected = stream.gamma(1.0, 2.0 * first + 1.0, (2, count))
        contrast = Contrast.of(stream.random(count) < share, np.full(count, share), *expected, limits)
        apart = contrast.terms(stream.poisson(stream.gamma(0.5, 20.0, count))) - contrast.centres
        assert (contrast.caps >= 0.0).all()
        assert -limits[0] - 1e-9 <= apart.min()
        assert apart.max() <= limits[1] + 1e-9


def test_usual_expectations_stay_as_they_are():
    contrast = Contrast.of([True], [0.25], [2.5], [5.0], LIMITS)
    assert LIMITS == (25.0, 41.0)
    assert (contrast.plan, contrast.comparison, contrast.caps) == (2.5, 5.0, 14.0)


def test_an_effect_is_found():
    rounds = rounds_of(250)
    found = effect_of(rounds, *LIMITS)
    low, high = found.exact
    assert 0.0 < low < 2.5 < high
    assert low < found.approximate.low < found.approximate.high < high
    assert found.verdict().startswith("Plans prevent 2.")
    assert "losses a round compared with an equal split (with 95 % confidence, at least " in found.verdict()
    assert found.rounds == 250
    assert found.control_rounds == sum(each.drawn for each in rounds)
    assert found.expected_cost == pytest.approx(2.5 * found.control_rounds)
    assert found.estimated_cost == pytest.approx(found.estimate * found.control_rounds)
    contrast = Contrast.between(rounds, LIMITS)
    terms = contrast.terms(np.array([each.losses for each in rounds]))
    limits = exact_limits(terms, contrast.centres, *LIMITS)
    assert [each.low for each in found.course] == pytest.approx(np.maximum(limits[0], -14.0))
    assert found.course[-1].estimate == found.estimate == pytest.approx(terms.mean())


def test_plans_can_do_harm():
    found = effect_of(rounds_of(400, prevents=-5.0), *LIMITS)
    assert found.exact.high < 0.0
    assert "losses a round more than an equal split (with 95 % confidence, at least " in found.verdict()
    assert "By the estimate above, control rounds had " in str(found)
    assert " losses fewer than plans would have." in str(found)


def test_few_rounds_are_too_early():
    found = effect_of(rounds_of(10), *LIMITS, compared_with="hot spots")
    assert found.approximate is None
    assert found.verdict().startswith(
        "It is too early to say whether plans prevent losses compared with hot spots: with 95 % "
        "confidence, plans have between "
    )
    assert " losses a round more and " in found.verdict()
    assert len(found.table()[1]) == 1


def test_the_approximate_interval_waits_for_20_control_rounds():
    rounds = [replace(PLAIN, drawn=n % 4 == 0) for n in range(80)]
    assert effect_of(rounds[:76], *LIMITS).approximate is None
    found = effect_of(rounds[:77], *LIMITS)
    assert found.control_rounds == 20
    assert "approximate" in str(found)


def test_losses_above_the_cap_count_as_the_cap():
    rounds = [*rounds_of(30), replace(PLAIN, losses=14.0), replace(PLAIN, losses=99.0, drawn=True)]
    found = effect_of(rounds, *LIMITS)
    assert found.capped == 1
    assert found.course[-1].counted == 14.0
    assert "In 1 round, more losses happened than the comparison counts." in str(found)
    assert "far above" not in str(found)
    rounds[-1] = replace(rounds[-1], losses=14.0)
    assert effect_of(rounds, *LIMITS).exact == found.exact


def test_many_capped_rounds_are_a_reason_to_start_anew():
    rounds = [replace(each, losses=99.0 if n < 4 else each.losses) for n, each in enumerate(rounds_of(39))]
    found = effect_of(rounds, *LIMITS)
    assert found.capped == 4
    assert "Losses are far above what the first plan expected. Many of them do not count." in str(found)


def test_limits_are_possible():
    """A round counts at most its cap, 14, so plans can neither prevent more nor do more harm."""
    found = effect_of([replace(PLAIN, drawn=True), PLAIN], *LIMITS)
    assert found.exact == (-14.0, 14.0)
    assert found.course[0].low == -14.0
    assert effect_of([replace(PLAIN, drawn=True, missing=1), PLAIN], *LIMITS).worst_case == (-14.0, 14.0)
    found = effect_of(rounds_of(250), *LIMITS)
    assert -14.0 < found.exact.low < found.exact.high < 14.0


def test_missing_reports_have_a_worst_case():
    rounds = rounds_of(300)
    for n in (3, 40, 41):
        found = rounds[n]
        few, many = found.losses, found.losses + 2.0
        rounds[n] = replace(found, losses=few + 0.5, least_losses=few, most_losses=many, missing=1)
    found = effect_of(rounds, *LIMITS)
    assert (found.missing, found.reports) == (3, 3000)
    assert found.approximate is None
    assert f"at least {found.worst_case.low:.3g} and" in found.verdict()
    assert [each[0] for each in found.table()[1]] == [
        "exact, whatever missing reports would say",
        "exact, if missing reports were as expected",
    ]
    assert found.worst_case.low < found.exact.low < found.exact.high < found.worst_case.high
    assert "3 of 3000 reports are missing. The answer holds whatever they would say; if they " in str(found)
    for lost in product((0.0, 0.7, 2.0), repeat=3):
        told = list(rounds)
        for n, more in zip((3, 40, 41), lost, strict=True):
            told[n] = replace(told[n], losses=told[n].least_losses + more, missing=0)
        exact = effect_of(told, *LIMITS).exact
        assert found.worst_case.low <= exact.low
        assert exact.high <= found.worst_case.high


def test_too_many_missing_reports_are_refused():
    rounds = rounds_of(40)
    rounds[:20] = [replace(each, missing=1) for each in rounds[:20]]
    assert effect_of(rounds, *LIMITS).missing == 20  # 5 % are accepted
    rounds[20] = replace(rounds[20], missing=1)
    with pytest.raises(ConflictError, match="21 of 400 reports of compared rounds are missing") as refused:
        effect_of(rounds, *LIMITS)
    assert "missing (2026-03-01, 2026-03-02, 2026-03-03 and 18 more), more than 5 %" in str(refused.value)
    assert str(refused.value).endswith(
        "expected reports for them (allotment tell accepts late reports; undo takes back a cancelled plan)"
    )


def test_few_rounds_are_not_refused_for_one_missing_report():
    rounds = [replace(each, places=3, missing=int(n in (0, 1))) for n, each in enumerate(rounds_of(20))]
    assert effect_of(rounds[:5], *LIMITS).missing == 2
    assert effect_of(rounds, *LIMITS).missing == 2
    rounds[0] = replace(rounds[0], missing=3)
    assert effect_of(rounds[:19], *LIMITS).missing == 4
    with pytest.raises(ConflictError, match=r"4 of 60 .* \(2026-03-01, 2026-03-02\)"):
        effect_of(rounds, *LIMITS)


def test_reports_that_are_missing_in_one_kind_of_round_are_refused():
    rounds = rounds_of(200)
    several = [replace(each, missing=int(each.drawn and n % 2)) for n, each in enumerate(rounds)]
    with pytest.raises(ConflictError, match=r"in \d+ of \d+ control rounds and in 0 of \d+ other .*more"):
        effect_of(several, *LIMITS)
    effect_of([replace(each, missing=n % 2) for n, each in enumerate(rounds)], *LIMITS)


@pytest.mark.parametrize("counts", [(3, 9, 1, 20), (0, 4, 5, 11), (7, 7, 2, 30), (2, 50, 12, 150)])
def test_the_test_of_shares_is_fishers(counts):
    some, of_some, others, of_others = counts
    table = [[some, of_some - some], [others, of_others - others]]
    assert differing_shares(*counts) == pytest.approx(fisher_exact(table).pvalue)


def test_without_control_rounds_it_says_how_to_start():
    with pytest.raises(NotFoundError, match="allotment change STORE --control") as refused:
        effect_of([], 1.0, 1.0)
    assert "it costs the losses" in str(refused.value)
    with pytest.raises(NotFoundError, match="effect to show yet: plan 4 of 2026-01-08 awaits reports"):
        effect_of([], 1.0, 1.0, awaiting=WAITING)


def test_rounds_without_a_control_round_are_answered():
    found = effect_of([PLAIN] * 5, *LIMITS)
    assert found.sentences() == [
        "No control round counts yet.",
        "5 rounds since 2026-03-01 carried out the usual plan.",
        "Control rounds cost nothing so far.",
    ]
    assert found.expected_cost == 0.0


@pytest.mark.parametrize(
    ("newer", "words"),
    [
        (16, "; 16 newer rounds do not count yet"),
        (1, "; 1 newer round does not count yet"),
        (0, ""),
    ],
)
def test_the_first_plan_that_waits_is_named(newer, words):
    said = effect_of(rounds_of(5), *LIMITS, awaiting=WAITING._replace(newer=newer)).sentences()
    before = "Plan 4 of 2026-01-08 awaits reports. The comparison ends before it"
    assert f"{before}{words}. Report it, or close it." in said
    assert "await" not in str(effect_of(rounds_of(5), *LIMITS))


def test_severities_that_differ_are_said_second():
    said = effect_of(rounds_of(5), *LIMITS, weighted=True).sentences()
    assert said[1].startswith("Severities differ between places. The effect counts losses, not their cost")
    assert "Severities" not in str(effect_of(rounds_of(5), *LIMITS))


def test_costs_in_words():
    early = effect_of(rounds_of(5), *LIMITS)
    found = replace(early, control_rounds=2, exact=Interval(0.5, 4.0))
    costs = {
        (25.0, 14.0): [
            "expectations, control rounds cost 25 losses",
            "By the estimate above, control rounds cost 14 loss",
        ],
        (0.0, -14.0): ["cost nothing so far.", "control rounds had 14 losses fewer than plans would have."],
        (0.0, -0.0): ["Control rounds cost nothing so far."],
    }
    for (expected, estimated), parts in costs.items():
        said = replace(found, expected_cost=expected, estimated_cost=estimated).sentences()[-len(parts) :]
        assert all(part in sentence for part, sentence in zip(parts, said, strict=True))
    assert "estimate above" not in str(replace(early, estimated_cost=14.0))  # which may be chance alone


@pytest.mark.parametrize("awaiting", [None, Awaiting("4", date(2026, 1, 8), 2)])
def test_it_survives_json(awaiting):
    rounds = rounds_of(30)
    rounds[3] = replace(rounds[3], missing=1)
    found = effect_of(rounds, *LIMITS, awaiting=awaiting, weighted=True)
    again = record_of(Effect, json_of(found))
    assert again == found
    assert isinstance(again.worst_case, Interval)
    assert awaiting is None or isinstance(again.awaiting, Awaiting)
    plain = found.to_dict()["awaiting"]
    assert plain == (None if awaiting is None else {"plan": "4", "date": "2026-01-08", "newer": 2})


def test_rows_and_plain_data():
    found = effect_of(rounds_of(25, situation="weekend"), *LIMITS)
    frame = found.to_frame()
    assert list(frame.columns)[:3] == ["date", "control", "expected plan"]
    assert len(frame) == 25
    plain = found.to_dict()
    assert plain["since"] == "2026-03-01"
    assert plain["exact"] == {"low": found.exact.low, "high": found.exact.high}
    assert plain["course"][0]["situation"] == "weekend"


def test_the_picture_shows_numbers_below_zero():
    figure = effect_of(rounds_of(60, prevents=0.0), *LIMITS).plot()
    low, high = figure.axes[0].get_ylim()
    assert low < 0.0 < high


def test_how_long_it_takes():
    found = duration_of(None, None, 5.0)
    assert [each[:3] for each in found.courses] == [
        (0.1, 0.3, 360),
        (0.1, 0.5, 239),
        (0.25, 0.3, 165),
        (0.25, 0.5, 95),
        (0.5, 0.3, 114),
        (0.5, 0.5, 46),
    ]
    assert found.courses[3].cost == pytest.approx(95 * 0.25 * 0.5 * 5.0)
    assert found.courses[3][3:5] == (95, 377)
    assert "The approximate interval appears after 20 control rounds." in str(found)
    assert "1 to 4 times as long" in str(found)
    assert found.to_dict()["courses"][0]["rounds"] == 360
    assert (0.15, 0.2) in {each[:2] for each in duration_of(0.15, 0.2, 5.0).courses}
    assert len(duration_of(0.15, 0.2, 5.0).rows()) == 12


@pytest.mark.parametrize(
    "given", [(1.0, None, 5.0), (1e-310, None, 5.0), (None, 0.0, 5.0), (None, 1e-200, 5.0), (None, None, 0.0)]
)
def test_impossible_experiments_are_refused(given):
    with pytest.raises(InputError):
        duration_of(*given)
