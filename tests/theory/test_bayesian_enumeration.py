"""The proof in docs/explanation/bayesian-regret.md, on tiny priors, over all their histories."""

import numpy as np
import pytest

from theory.enumerated import (
    TinyPrior,
    averages_of_two,
    entropy,
    enumerate_rounds,
    information,
    plain_draws,
    random_prior,
    random_steps,
    reports,
)

ROUNDING = 1e-7  # an information of 1e-16 is none, and its root is 1e-8


def regret_by_arm(prior, now):
    """Histories x arms: what a round costs at each arm beyond the best allocation."""
    arms = np.arange(prior.severities.size)
    mean = np.einsum("hw,wag->hag", now.posterior, prior.losses)
    lost = np.einsum("hk,hka->ha", now.law, mean[:, arms, prior.allocations])
    least = prior.losses[np.arange(prior.chances.size)[:, np.newaxis], arms, prior.allocations[prior.best]]
    return lost - now.posterior @ least


def told_about(prior, now, arm, reported=1.0):
    """By history, what the arm's own amount and report tell about its best amount."""
    amounts = prior.losses.shape[2]
    granted = now.law @ np.eye(amounts)[prior.allocations[:, arm]]  # histories x amounts
    loss = prior.losses[:, arm]
    chances = np.stack([reported * (1.0 - loss), reported * loss, 0.0 * loss + 1.0 - reported], axis=-1)
    joint = np.einsum("hw,wb,hg,wgy->hbgy", now.posterior, prior.best_amounts(arm), granted, chances)
    return information(joint)


def told_in_all(prior, now, of_worlds):
    """By history, what the whole report tells about something that is a function of the world."""
    return information(np.einsum("hw,wb,hk,wky->hbky", now.posterior, of_worlds, now.law, reports(prior)))


def factors(prior, now, arm):
    """By history, what stands before the information: half the number of amounts, and twice V."""
    amounts = prior.amounts(arm)
    mean = now.posterior @ prior.losses[:, arm]
    return 0.5 * amounts.sum(), 2.0 * mean[:, amounts].sum(axis=1)


def check_rounds(prior, horizon, **options):
    """Every inequality of the proof, in every history of every round."""
    reported, delay = options.get("reported", 1.0), options.get("delay", 0)
    total, told = np.zeros(2), np.zeros(2)
    for now in enumerate_rounds(prior, horizon, **options):
        np.testing.assert_allclose(now.law.sum(axis=1), 1.0)
        regret = regret_by_arm(prior, now)
        together, whole = np.zeros(len(regret)), 0.0
        for arm in range(2):
            own = told_about(prior, now, arm)
            pinsker, low_rates = factors(prior, now, arm)
            assert np.all(regret[:, arm] <= np.sqrt(pinsker * own) + ROUNDING)
            assert np.all(regret[:, arm] <= np.sqrt(low_rates * own) + ROUNDING)
            assert np.all(own <= told_in_all(prior, now, prior.best_amounts(arm)) + 1e-12)
            if reported < 1.0:
                np.testing.assert_allclose(told_about(prior, now, arm, reported), reported * own, atol=1e-12)
            together += own
            whole += prior.severities[arm] ** 2 * pinsker
            told[arm] += now.chance @ (reported * own)
        if prior.independent:
            best = told_in_all(prior, now, np.eye(len(prior.allocations))[prior.best])
            assert np.all(together <= best + 1e-12)
            assert np.all(regret @ prior.severities <= np.sqrt(whole * best) + ROUNDING)
        total += now.chance @ regret
    check_horizon(prior, horizon * (delay + 1) / reported, total, told / (delay + 1))


def check_horizon(prior, rounds, total, told):
    """The propositions: with all entropies known, and with the largest possible."""
    for arm in range(2):
        assert told[arm] <= prior.entropy(arm) + 1e-12
        amounts = prior.amounts(arm)
        low_rates = 2.0 * (prior.chances @ prior.losses[:, arm])[amounts].sum()
        for factor in (0.5 * amounts.sum(), low_rates):
            assert total[arm] <= np.sqrt(factor * prior.entropy(arm) * rounds) + ROUNDING
    largest = sum(np.sqrt(0.5 * n * np.log(n)) for n in (prior.amounts(arm).sum() for arm in range(2)))
    assert total.sum() <= largest * np.sqrt(rounds) + ROUNDING
    if prior.independent:
        factor = sum(0.5 * prior.amounts(arm).sum() * prior.severities[arm] ** 2 for arm in range(2))
        both = entropy(np.bincount(prior.best, prior.chances))
        assert total @ prior.severities <= np.sqrt(factor * both * rounds) + ROUNDING


def check_cases(seeds):
    ties = 0
    for seed in seeds:
        prior = random_prior(np.random.default_rng(seed))
        ties += np.any((prior.costs == prior.costs.min(axis=1, keepdims=True)).sum(axis=1) > 1)
        check_rounds(prior, 3)
        check_rounds(prior, 2, reported=0.5)
        check_rounds(prior, 4, delay=2)
    assert ties > len(seeds) / 2


def test_each_round_and_the_horizon_are_bounded():
    check_cases(range(300))


@pytest.mark.soak
def test_each_round_and_the_horizon_are_bounded_in_thousands_of_cases():
    check_cases(range(1_000, 4_000))


def check_steps(prior, horizon):
    """Proposition 2: a positive grant costs what it loses, and leaving an arm alone tells about its rate."""
    total, tried = np.zeros(2), np.zeros(2)
    for now in enumerate_rounds(prior, horizon):
        regret = regret_by_arm(prior, now)
        for arm in range(2):
            granted = now.law @ np.eye(3)[prior.allocations[:, arm]]
            mean = now.posterior @ prior.losses[:, arm]
            lost = (granted * mean)[:, 1:].sum(axis=1)
            alone = prior.best_amounts(arm)[:, :1]
            told = told_in_all(prior, now, np.concatenate([alone, 1.0 - alone], axis=1))
            assert np.all(regret[:, arm] <= lost + np.sqrt(0.5 * told) + ROUNDING)
            assert np.all(regret[:, arm] <= lost + np.sqrt(2.0 * mean[:, 0] * told) + ROUNDING)
            tried[arm] += now.chance @ lost
        total += now.chance @ regret
    for arm in range(2):
        below = prior.chances @ (prior.losses[:, arm, 1:] > 0.0).sum(axis=1)
        alone = prior.chances @ prior.best_amounts(arm)[:, 0]
        assert tried[arm] <= below + ROUNDING
        threshold = (prior.losses[:, arm, 1:] > 0.0).sum(axis=1)
        unknown = entropy(np.bincount(threshold, prior.chances))
        assert tried[arm] <= 2.0 * np.sqrt(prior.chances @ prior.losses[:, arm, 0] * unknown * horizon)
        learning = np.sqrt(0.5 * entropy(np.array([alone, 1.0 - alone])) * horizon)
        assert total[arm] <= below + learning + ROUNDING


def test_steps_without_a_leak_cost_one_loss_an_amount_and_little_more():
    for seed in range(60):
        check_steps(random_steps(np.random.default_rng(seed)), 3)


def worst_ratio(rule, seeds):
    """The largest regret of an arm in a round, over its bound in that round; inf where nothing is told."""
    worst = 0.0
    for seed in seeds:
        prior = random_prior(np.random.default_rng(seed))
        for now in enumerate_rounds(prior, 2, rule=rule):
            regret = regret_by_arm(prior, now)
            for arm in range(2):
                bound = np.sqrt(factors(prior, now, arm)[0] * told_about(prior, now, arm))
                worst = max(worst, np.max(regret[:, arm] / (bound + ROUNDING)))
    return worst


def other_ties(prior, posterior):
    """Draws that break ties otherwise than the best allocation does."""
    last = len(prior.allocations) - 1 - prior.costs[:, ::-1].argmin(axis=1)
    return posterior @ np.eye(len(prior.allocations))[last]


def test_the_inequality_is_near_enough_to_fail_where_the_proof_does_not_hold():
    seeds = range(200)
    assert 0.65 < worst_ratio(plain_draws, seeds) <= 1.0  # so the first form of (4) fails with 0.42 n/2
    assert worst_ratio(averages_of_two, seeds) > 2.0
    assert worst_ratio(other_ties, seeds) > 2.0


def test_averages_of_two_draws_exceed_the_bound_of_plain_draws():
    """One arm, n hidden amounts, and a safe one at 0 that tells nothing: two draws hardly ever agree."""
    n, rounds = 100, 5_000
    assert stuck(n, rounds) > 1.5 * np.sqrt(0.5 * (n + 1) * np.log(n) * rounds)


def stuck(n, horizon, safe=0.49):
    """The regret of averages of two draws where one of n amounts has no loss, the others always, 0 sometimes.

    Draws that differ make the safe amount look best. Draws that agree try their amount, which tells all.
    """
    left = np.zeros(n + 1)  # by the number of amounts that are still possible: the chance of being there
    left[n], regret, size = 1.0, 0.0, np.maximum(np.arange(n + 1), 1)
    for _ in range(horizon):
        tries, finds = left / size, left / size**2
        regret += (left - tries).sum() * safe + (tries - finds).sum()
        left -= tries
        left[:-1] += (tries - finds)[1:]
    return regret


def test_sets_that_losses_choose_refute_the_second_form_and_not_the_first():
    """One arm and 0 to n units. Where it is hot, one positive amount has no loss and all else always loses.

    Otherwise nothing loses. Only the amount 0 may be granted, and positive ones only once a loss was seen.
    """
    n, rare = 4, 0.005
    hot = np.arange(n + 1) < n
    losses = np.zeros((n + 1, 2, n + 1))
    losses[hot, 0] = 1.0 - np.eye(n, n + 1, k=1)
    prior = TinyPrior(
        np.where(hot, rare / n, 1.0 - rare),
        losses,
        np.ones(2),
        np.array([(g, 0) for g in range(n + 1)]),
        independent=False,
    )

    def only_after_a_loss(prior, posterior):
        seen = posterior[:, ~hot] == 0.0
        return np.where(seen, plain_draws(prior, posterior), np.eye(1, n + 1))

    regret = rounds = 0.0
    for now in enumerate_rounds(prior, n + 1, rule=only_after_a_loss):
        seen = now.posterior[:, ~hot].ravel() == 0.0
        regret += now.chance[seen] @ regret_by_arm(prior, now)[seen, 0]
        rounds += now.chance[seen].sum()
    assert regret == pytest.approx(rare * (n - 1) / 2)
    assert rounds == pytest.approx(rare * n)
    best = np.append(prior.chances[hot], 0.0)
    best[0] += 1.0 - rare  # ties go to the smallest amount of the set
    squares = (prior.chances @ losses[:, 0]).sum()
    assert np.sqrt(2.0 * squares * entropy(best) * rounds) < regret
    assert regret < np.sqrt(0.5 * n * entropy(best) * rounds)


def test_averages_that_are_stuck_are_computed_right():
    """The same, by enumeration of all histories."""
    n = 3
    losses = 1.0 - np.eye(n, n + 1, k=1)
    losses[:, 0] = 0.25
    silent = np.zeros((n, 1, n + 1))
    prior = TinyPrior(
        np.full(n, 1 / n),
        np.concatenate([losses[:, np.newaxis], silent], axis=1),
        np.ones(2),
        np.array([(g, 0) for g in range(n + 1)]),
        independent=False,
    )
    total = sum(
        (now.chance @ regret_by_arm(prior, now)).sum()
        for now in enumerate_rounds(prior, 4, rule=averages_of_two)
    )
    assert total == pytest.approx(stuck(n, 4, safe=0.25), abs=1e-12)
