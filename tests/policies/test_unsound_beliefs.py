"""Beliefs that are not finite are an error, wherever they are read."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import allotment as al
from allotment.checks import LARGEST_COUNT
from allotment.policies.any_response import posterior

PROBLEM = al.Problem([0.5, 0.3], [0.5, 0.5], budget=0.5)


def learner_of(policy):
    return policy.start(2, 0.5, seed=0)


def break_curves(state):
    state.beliefs.rows.by_kind[1, 0] = math.nan


def break_situations(state):
    state.beliefs.pooled.rows.by_kind[1, 0] = math.nan
    state.beliefs.lines.rows.by_kind[:, 0] = math.nan
    state.beliefs.joint.by_kind[1, 0] = math.nan


def break_joint(state):
    state.beliefs.totals[0] = math.inf


def break_capped(state):
    state.log_weights[1] = -math.inf


@pytest.mark.parametrize(
    ("policy", "spoil"),
    [
        (al.AnyResponse(unit=0.5), break_curves),
        (al.AnyResponse(unit=0.5, losses="counts"), break_curves),
        (al.AnyResponse(unit=0.5, situations=2), break_situations),
        (al.Joint(resolution=0.5), break_joint),
        (al.CappedTs(unit=0.5), break_capped),
    ],
    ids=["yes/no", "counts", "situations", "joint", "capped"],
)
def test_a_learner_refuses_to_decide(policy, spoil):
    learner = learner_of(policy)
    learner.ask()
    learner.tell([1.0, 0.0])
    spoil(learner.state)
    with pytest.raises(al.BeliefError, match="cannot go on: after 1 rounds, its beliefs are not finite"):
        learner.ask()


@dataclass(frozen=True)
class Broken(al.AnyResponse):
    """Its free curve has no weight that is a number."""

    def state(self, setting):
        state = super().state(setting)
        state.beliefs.rows.by_kind[0, -1] = math.nan
        return state


def test_a_simulation_stops():
    quiet = al.Problem([1e-9, 1e-9], [0.5, 0.5], budget=0.5)  # a loss would have beliefs computed anew
    with pytest.raises(
        al.BeliefError, match="cannot go on: at the end of replication 0, its beliefs are not"
    ):
        al.simulate(quiet, Broken(unit=0.5), horizon=3, replications=1, seed=0)


@pytest.mark.parametrize("policy", [al.AnyResponse(unit=0.5, losses="counts"), al.CappedTs(unit=0.5)])
def test_the_largest_count_is_learnt_from_and_a_larger_one_is_refused(policy):
    learner = learner_of(policy)
    for _ in range(3):
        learner.tell([LARGEST_COUNT, 0.0], [0.0, 0.5])
        assert np.isfinite(learner.ask()).all()
    with pytest.raises(
        al.InputError, match=r"losses\[0\] is 1e\+308; expected numbers that are whole and at most"
    ):
        learner.tell([1e308, 0.0], [0.0, 0.5])


def test_a_posterior_of_the_largest_counts_is_finite_and_larger_counts_are_refused():
    rows = [(0, 0.0, 1.0, LARGEST_COUNT), (0, 0.5, 1e-3, 3.0)]
    found = al.ResponsePosterior(al.Evidence(1, rows, losses="counts"), unit=0.25)
    for numbers in (found.mean_losses, found.loss_variances, found.chances):
        assert np.isfinite(numbers).all()
    with pytest.raises(
        al.InputError, match=r"the losses of rows\[0\] is 1e\+308; expected a finite number .* at most"
    ):
        al.Evidence(1, [(0, 0.0, 1.0, 1e308)], losses="counts")


def test_a_posterior_that_is_not_finite_is_an_error(monkeypatch):
    evidence = al.Evidence(2, [(0, 0.0, 5.0, 3.0)])
    curves_given = posterior.curves_given

    def broken(*given):
        curves = curves_given(*given)
        curves.rows.by_kind[1, 0] = math.nan
        return curves

    monkeypatch.setattr(posterior, "curves_given", broken)
    with pytest.raises(
        al.BeliefError, match="The posterior of response curves cannot go on: given this evidence"
    ):
        al.ResponsePosterior(evidence, unit=0.25)
