"""A plain and quick decider, for tests of what surrounds the decision."""

from types import SimpleNamespace

import numpy as np

from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import best_units
from allotment.campaign.planning.expectations import Expectations
from allotment.campaign.planning.plain_rules import rows_in


class PlainPosterior:
    def __init__(self, settings, evidence, arms, situation=0):
        self.amounts = np.arange(settings.steps + 1) / settings.steps
        left = np.exp(-3.0 * self.amounts)
        lost, exposed = np.full(len(arms), 0.5), np.ones(len(arms))
        for row in rows_in(evidence, situation):
            lost[row.arm] += row.losses
            exposed[row.arm] += row.rounds * np.exp(-3.0 * row.amount)
        self.loss_rates = lost / exposed
        self.mean_losses = np.outer(self.loss_rates, left)

    def shapes_within(self, units):
        return [[("falls quickly", 1.0)] for _ in units]

    def draw(self, count, seed):
        noise = np.random.default_rng(seed).uniform(0.5, 1.5, (count, self.loss_rates.size))
        return noise[:, :, None] * self.mean_losses


class PlainLearner:
    def __init__(self, settings, evidence, bounds, stream, precision=None):
        self.ways = settings, evidence, bounds
        self.stream = stream

    def ask(self, situation=0):
        settings, evidence, bounds = self.ways
        noise = self.stream.uniform(0.5, 1.5, len(bounds.arms))
        means = PlainPosterior(settings, evidence, bounds.arms, situation).mean_losses
        self.state = SimpleNamespace(values=-means * noise[:, None])
        return best_units(means * noise[:, None], bounds) / settings.steps

    def tell(self, losses, allocation=None):
        pass


def plain_expectations(settings, learner, arms, situation=0):
    _, evidence, _ = learner.ways
    losses = PlainPosterior(settings, evidence, arms, situation).mean_losses
    finds = losses[:, :1] - losses if settings.sees == "finds" else None
    return Expectations(losses, losses, decision.severities_of(settings, arms), finds)


def install(set_attribute=setattr):
    set_attribute(decision, "posterior_of", PlainPosterior)
    set_attribute(decision, "started", PlainLearner)
    set_attribute(decision, "expected_of", plain_expectations)
