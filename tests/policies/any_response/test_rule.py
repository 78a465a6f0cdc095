"""AnyResponse's rule, by the law of what it grants where that is known exactly, and by its regret."""

import numpy as np
import pytest
from scipy import stats

import allotment as al

ASKED = 5_000
SPREAD = 5 * np.sqrt(0.25 / ASKED)  # five standard errors of a share, at most
RATES = {"binary": (0.5, 1.0), "counts": (0.5, 0.5)}
# One curve is possible, so rates are all that is drawn; nothing is granted but for what the draws say.
STEP = {"curves": [(al.Step(0.5), 1.0)], "free": 0.0, "opening": 0, "left_alone": 0.0}


def granted(evidence, budget, rounds=ASKED, **options):
    """The grants of so many rounds of which nothing is reported, so that nothing is learnt."""
    policy = al.AnyResponse(sees=evidence.sees, losses=evidence.losses, **options)
    learner = policy.start(evidence.arms, budget, seed=7, evidence=evidence)
    asked = []
    for _ in range(rounds):
        asked.append(learner.ask())
        learner.tell([np.nan] * evidence.arms)
    return np.array(asked)


def share_of_the_doubtful(against, sees="losses", losses="binary", times=1, **options):
    """How often an arm that was seen for 20·times rounds is covered, and not one whose rate is known.

    There were 8·times events at the first arm, and `against` in every round at the second. The budget covers
    one.
    """
    amount, sure = (0.0 if sees == "losses" else 0.5), 1_000_000
    rows = [(0, amount, 20 * times, 8 * times), (1, amount, sure, round(sure * against))]
    grants = granted(al.Evidence(2, rows, sees=sees, losses=losses), 0.5, **STEP, **options)
    assert (np.sort(grants, axis=1) == [0.0, 0.5]).all()
    return (grants[:, 0] > 0.0).mean()


@pytest.mark.parametrize(
    ("sees", "losses"), [("losses", "binary"), ("losses", "counts"), ("finds", "binary")]
)
def test_a_draw_is_on_the_side_where_it_is_found_out(sees, losses):
    """Its rate, about 0.39, is never drawn above that where losses are seen, and of finds never below."""
    below, above = (share_of_the_doubtful(rate, sees, losses, rounds=1000) for rate in (0.32, 0.46))
    if sees == "losses":
        assert above == 0.0 and 0.5 < below < 0.95
    else:
        assert below == 1.0 and 0.05 < above < 0.5


@pytest.mark.parametrize(("times", "rate", "draws"), [(1, 0.5, 5), (5, 0.42, 2)])
def test_as_many_draws_are_averaged_as_it_says(times, rate, draws):
    """An average of draws is above a rate as often as for independent draws from a Beta.

    More are averaged while few events of the arm were seen.
    """
    law = stats.beta(0.5 + 8 * times, 1.0 + 12 * times)
    expected = {
        count: (law.rvs((200_000, count), random_state=1).mean(axis=1) > rate).mean()
        for count in (1, 2, 3, 5)
    }
    apart = min(abs(expected[count] - expected[draws]) for count in expected if count != draws)
    share = share_of_the_doubtful(rate, times=times, unit=0.05, optimistic=False)
    assert abs(share - expected[draws]) < min(SPREAD, apart / 2)


def test_kinds_are_learnt_from_all_arms():
    """Six arms have steps at 0.5; the seventh, of which nothing is known, has a step or a line up to 1."""
    rows = [
        (arm, amount, 200, 100 * (amount < 0.5)) for arm in range(6) for amount in (0.25, 0.45, 0.5, 0.75)
    ]
    either = {**STEP, "curves": [(al.Step(0.5), 1.0), (al.Linear(1.0), 1.0)], "draws": 1}
    shares = {}
    for likeness in (None, 1.0):
        grants = granted(al.Evidence(7, rows), 7.0, **either, likeness=likeness)
        assert (grants[:, :6] == 0.5).all()
        assert set(grants[:, 6]) == {0.5, 1.0}
        shares[likeness] = (grants[:, 6] == 0.5).mean()
    assert shares[None] == pytest.approx(0.5, abs=SPREAD)
    assert shares[1.0] == pytest.approx(6.5 / 7.0, abs=SPREAD)  # π = (c·π₀ + 6 + π) / (c + 7)


def test_little_is_lost_where_steps_have_to_be_found():
    """100 replications lose 10.8 on average, with a standard error of 0.35; with one draw they lose 17."""
    problem = al.Problem([0.9, 0.6, 0.5, 0.4], [0.5, 0.3, 0.7, 0.2], 1.0)
    result = al.simulate(problem, al.AnyResponse(unit=0.1), horizon=1500, replications=100, seed=1, record=1)
    assert 9.4 < result["AnyResponse"].mean[-1] < 12.2  # four standard errors either way


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("opening", [None, 1_000])
def test_what_no_grant_can_change_is_not_worth_knowing(seed, opening):
    """Nothing helps at the first arm up to the most that it may get; of the second, little is known."""
    rows = [(0, 0.2 * u, 100, 60) for u in range(5)] + [(1, 0.0, 100, 10)]
    policy = al.AnyResponse(unit=0.2, opening=opening)
    learner = policy.start(2, 0.8, seed=seed, evidence=al.Evidence(2, rows), most=[0.8, 1.0])
    assert learner.ask()[1] > 0.0
