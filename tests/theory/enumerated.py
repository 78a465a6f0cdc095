"""Posterior sampling on tiny priors, every history enumerated: what a proof says can be checked exactly."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np


class TinyPrior(NamedTuple):
    """A few worlds, their chances, and what may be granted in them."""

    chances: np.ndarray  # by world
    losses: np.ndarray  # worlds x arms x amounts: the chance of a loss
    severities: np.ndarray
    allocations: np.ndarray  # allocations x arms
    independent: bool  # whether arms are

    @property
    def costs(self):
        """Worlds x allocations: the expected cost."""
        arms = np.arange(self.severities.size)
        return (self.losses[:, arms, self.allocations] * self.severities).sum(axis=-1)

    @property
    def best(self):
        """By world, the first of the best allocations; all numbers are exact, so ties are ties."""
        return self.costs.argmin(axis=1)

    def best_amounts(self, arm):
        """Worlds x amounts: whether an amount is the arm's best one."""
        return np.eye(self.losses.shape[2])[self.allocations[self.best, arm]]

    def entropy(self, arm):
        return entropy(self.chances @ self.best_amounts(arm))

    def amounts(self, arm):
        """Which amounts are ever best."""
        return self.chances @ self.best_amounts(arm) > 0.0


def random_prior(rng, amounts=None):
    """Two arms, each with two to four curves; chances are quarters, so ties are common."""
    amounts = amounts or int(rng.integers(2, 4))
    curves = [rng.integers(0, 5, (rng.integers(2, 5), amounts)) / 4 for _ in range(2)]
    pairs = list(product(*map(range, map(len, curves))))
    independent = bool(rng.random() < 0.5)
    if independent:
        each = [rng.integers(1, 4, len(own)) for own in curves]
        chances = np.outer(*each).ravel().astype(float)
    else:
        chances = rng.integers(0, 4, len(pairs)).astype(float)
        chances[rng.integers(len(pairs))] += 1.0
    losses = np.array([[curves[0][j], curves[1][k]] for j, k in pairs])
    budget = int(rng.integers(1, 2 * amounts - 1))
    allocations = [each for each in product(range(amounts), repeat=2) if sum(each) <= budget]
    return TinyPrior(
        chances / chances.sum(), losses, rng.choice([0.5, 1.0, 2.0], 2), np.array(allocations), independent
    )


def random_steps(rng):
    """Two arms with thresholds of one or two units, or none that covers, and one of two loss rates each."""
    thresholds, rates = np.array([1, 2, 3]), rng.choice(4, 2, replace=False) / 4 + 0.25
    curves = [rate * (np.arange(3) < threshold) for threshold, rate in product(thresholds, rates)]
    each = [rng.integers(1, 4, len(curves)) for _ in range(2)]
    losses = np.array([[first, second] for first, second in product(curves, repeat=2)])
    chances = np.outer(*each).ravel() / np.outer(*each).sum()
    budget = int(rng.integers(1, 4))
    allocations = [each for each in product(range(3), repeat=2) if sum(each) <= budget]
    allocations.sort(key=sum)  # so that no arm gets units that do not help it
    return TinyPrior(chances, losses, rng.choice([0.5, 1.0, 2.0], 2), np.array(allocations), True)


def entropy(shares):
    kept = shares[shares > 0.0]
    return max(0.0, -float(kept @ np.log(kept)))


def information(joint):
    """By history (first axis), the mutual information of the second axis and all others, in nats."""
    flat = joint.reshape(*joint.shape[:2], -1)
    apart = flat.sum(axis=2, keepdims=True) * flat.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(flat > 0.0, flat * np.log(flat / apart), 0.0)
    return np.maximum(terms.sum(axis=(1, 2)), 0.0)  # which rounding errors might make negative


def reports(prior, reported=1.0):
    """Worlds x allocations x reports: the chance of every report; 2 means that an arm's report is missing."""
    per_arm = []
    for arm, granted in enumerate(prior.allocations.T):
        loss = reported * prior.losses[:, arm, granted]
        quiet = reported * (1.0 - prior.losses[:, arm, granted])
        per_arm.append(np.stack([quiet, loss, np.full_like(loss, 1.0 - reported)], axis=-1))
    first, second = per_arm
    both = first[..., :, np.newaxis] * second[..., np.newaxis, :]
    both = both.reshape(*both.shape[:2], -1)
    return both[..., both.any(axis=(0, 1))]


class Round(NamedTuple):
    """One round: by history, its chance, the posterior, and the law of the allocation."""

    chance: np.ndarray
    posterior: np.ndarray  # histories x worlds
    law: np.ndarray  # histories x allocations


def plain_draws(prior, posterior):
    """The law of an allocation that is best for one draw."""
    return posterior @ np.eye(len(prior.allocations))[prior.best]


def averages_of_two(prior, posterior):
    """The law of an allocation that is best for the average of two draws."""
    worlds = prior.chances.size
    best = (prior.costs[:, np.newaxis] + prior.costs).argmin(axis=2)
    pairs = posterior[:, :, np.newaxis] * posterior[:, np.newaxis, :]
    return pairs.reshape(-1, worlds * worlds) @ np.eye(len(prior.allocations))[best.ravel()]


def enumerate_rounds(prior, horizon, *, rule=plain_draws, reported=1.0, delay=0) -> Iterator[Round]:
    """Round after round, all histories that the policy may know by then."""
    told = np.moveaxis(reports(prior, reported), 0, 2)  # allocations x reports x worlds
    weights, waiting = prior.chances[np.newaxis], []
    for _ in range(horizon):
        chance = weights.sum(axis=1)
        posterior = weights / chance[:, np.newaxis]
        law = rule(prior, posterior)
        yield Round(chance, posterior, law)
        waiting.append(law)
        if len(waiting) > delay:
            oldest = waiting.pop(0)
            weights = weights[:, np.newaxis, np.newaxis] * oldest[:, :, np.newaxis, np.newaxis] * told
            weights = weights.reshape(-1, prior.chances.size)
            possible = weights.sum(axis=1) > 0.0
            weights = weights[possible]
            waiting = [np.repeat(each, told.shape[0] * told.shape[1], axis=0)[possible] for each in waiting]
