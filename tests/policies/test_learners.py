"""The learners that the equivalences open: their choices against slow, independent computations."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from allotment import (
    CsbDt,
    Cucb,
    Escb,
    InputError,
    MpKlUcb,
    MpTs,
    Problem,
    Sdcb,
    simulate,
)
from slow import maximal_covers, slow_kl_lower_bound


class History:
    """Drives a learner and keeps what it has seen of every arm."""

    def __init__(self, policy, problem, seed, draw=None):
        self.learner = policy.start(problem.arms, problem.budget, seed=seed, severities=problem.severities)
        self.problem = problem
        self.seen = [[] for _ in range(problem.arms)]
        self.stream = np.random.default_rng(seed)
        self.draw = draw or (lambda stream: (stream.random(problem.arms) < problem.loss_rates) * 1.0)
        self.rounds = 0

    def step(self):
        """One round; returns which arms were covered."""
        covered = self.learner.ask() > 0.0
        losses = np.where(covered, 0.0, self.draw(self.stream))
        self.learner.tell(losses)
        for arm in np.flatnonzero(~covered):
            self.seen[arm].append(losses[arm])
        self.rounds += 1
        return covered

    def mean(self, arm):
        return math.fsum(self.seen[arm]) / max(len(self.seen[arm]), 1)


@pytest.mark.parametrize("exploration", [0.0, 3.0])
def test_mp_kl_ucb_covers_the_largest_indices(exploration):
    problem = Problem([0.2, 0.8, 0.5, 0.6, 0.0, 1.0], 0.5, 1.6)
    history = History(MpKlUcb(thresholds=0.5, exploration=exploration), problem, seed=3)
    for t in range(1, 120):
        level = math.log(t)
        level += exploration * math.log(level) if level > 1.0 else 0.0
        indices = np.array(
            [
                slow_kl_lower_bound(history.mean(i), len(history.seen[i]), level) if history.seen[i] else 0.0
                for i in range(problem.arms)
            ]
        )
        covered = history.step()
        assert covered.sum() == 3
        assert indices[covered].min() >= indices[~covered].max() - 1e-9


def slow_set_index(history, cover, level):
    """min Σ s_i·q_i over q with Σ 2·N_i·(q_i - μ̂_i)² ≤ level: the program that ESCB-2's index solves.

    At its solution q_i = μ̂_i - x·s_i/N_i for the x that spends the whole level.
    """
    left = [i for i in range(history.problem.arms) if i not in cover]
    severities = history.problem.severities
    spent_at_one = math.fsum(2.0 * severities[i] ** 2 / len(history.seen[i]) for i in left)
    x = math.sqrt(level / spent_at_one) if spent_at_one else 0.0
    return math.fsum(
        severities[i] * (history.mean(i) - x * severities[i] / len(history.seen[i])) for i in left
    )


@pytest.mark.parametrize(
    "problem",
    [
        Problem([0.9, 0.89, 0.87, 0.58, 0.3], [0.7, 0.7, 0.7, 0.6, 0.35], 2.0),
        Problem(
            [0.9, 0.2, 0.4, 0.7, 0.3, 0.6],
            [0.3, 0.2, 0.25, 0.5, 0.1, 0.4],
            0.8,
            severities=[1, 3, 2, 1, 5, 1],
        ),
        Problem(np.linspace(0.05, 0.95, 9), 0.5, 2.1),
    ],
    ids=["paper-2", "severities", "one threshold"],
)
def test_escb_leaves_the_set_of_smallest_index(problem):
    covers = list(maximal_covers(problem))
    history = History(Escb.for_problem(problem), problem, seed=5)
    for t in range(1, 150):
        everything_seen = all(history.seen)
        indices = (
            {cover: slow_set_index(history, cover, math.log(t)) for cover in covers}
            if everything_seen
            else {}
        )
        covered = tuple(np.flatnonzero(history.step()))
        assert covered in covers
        if everything_seen:
            assert indices[covered] == pytest.approx(min(indices.values()), abs=1e-9)
    assert all(history.seen)
    assert t > 2 * problem.arms


def test_escb_with_one_threshold_covers_as_many_as_it_can():
    problem = Problem(np.linspace(0.1, 0.9, 7), 0.7, 2.1)
    history = History(Escb(thresholds=0.7), problem, seed=1)
    assert {int(history.step().sum()) for _ in range(200)} == {3}


def test_escb_ignores_arms_that_can_never_be_covered_or_always_are():
    problem = Problem([0.5, 0.9, 0.4, 0.3], [0.9, 0.5, 0.5, 0.01], 0.52)
    history = History(Escb.for_problem(problem), problem, seed=1)
    covered = np.array([history.step() for _ in range(300)])
    assert not covered[:, 0].any()
    assert covered[:, 3].all()
    assert covered[100:, 1].mean() > 0.9


def test_escb_beyond_twelve_arms_widens_the_bounds_arm_by_arm():
    problem = Problem(np.linspace(0.05, 0.95, 14), np.linspace(0.2, 0.6, 14), 2.0)
    history = History(Escb.for_problem(problem), problem, seed=2)
    for t in range(1, 300):
        lower = np.array(
            [
                max(history.mean(i) - math.sqrt(math.log(t) / (2.0 * len(history.seen[i]))), 0.0)
                if history.seen[i]
                else 0.0
                for i in range(problem.arms)
            ]
        )
        best = Problem(lower, problem.thresholds, problem.budget).best.loss
        covered = history.step()
        assert lower[~covered].sum() == pytest.approx(best, abs=1e-9)


def test_sdcb_is_cucb_on_bernoulli_losses():
    for seed in range(5):
        problem = Problem.random(9, seed=seed)
        policies = [Cucb.for_problem(problem), Sdcb.for_problem(problem)]
        result = simulate(problem, policies, horizon=2000, replications=2, seed=seed)
        assert np.array_equal(result["CUCB"].paths, result["SDCB"].paths)


def hopeful_mean(losses, radius):
    """The mean after mass `radius` is moved from the largest losses to 0."""
    budget, total = radius * len(losses), 0.0
    for loss in sorted(losses, reverse=True):
        moved = min(1.0, budget)
        budget -= moved
        total += (1.0 - moved) * loss
    return total / len(losses)


def test_sdcb_on_losses_of_many_values():
    problem = Problem([0.5] * 5, [0.3, 0.4, 0.5, 0.2, 0.6], 0.9)
    values = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    tilts = np.random.default_rng(0).dirichlet(np.ones(5), size=5)

    def draw(stream):
        return np.array([stream.choice(values, p=tilt) for tilt in tilts])

    history = History(Sdcb(thresholds=problem.thresholds, levels=4), problem, seed=7, draw=draw)
    told_apart = False
    for t in range(1, 400):
        radii = [math.sqrt(1.5 * math.log(t) / max(len(seen), 1)) for seen in history.seen]
        means = [
            hopeful_mean(seen, radius) if seen else 0.0
            for seen, radius in zip(history.seen, radii, strict=True)
        ]
        plain = [max(history.mean(i) - radii[i], 0.0) for i in range(5)]
        told_apart = told_apart or max(np.subtract(means, plain)) > 0.01
        best = Problem(np.minimum(means, 1.0), problem.thresholds, problem.budget).best.loss
        covered = history.step()
        assert np.array(means)[~covered].sum() == pytest.approx(best, abs=1e-9)
    assert told_apart  # moving mass is not the same as lowering the mean


def test_sdcb_learns_partial_losses():
    problem = Problem([0.5] * 3, 1.0, 1.0)

    def draw(stream):
        return np.array([stream.choice([0.2, 0.4]), stream.choice([0.5, 1.0]), stream.choice([0.0, 0.5])])

    history = History(Sdcb(thresholds=1.0, levels=10), problem, seed=7, draw=draw)
    covered = np.array([history.step() for _ in range(3000)])
    assert covered[2000:, 1].mean() > 0.97


def test_which_losses_a_learner_takes():
    learner = Sdcb(thresholds=0.5, levels=2).start(2, 0.5, seed=1)
    learner.ask()
    with pytest.raises(InputError, match=r"losses\[1\] is 1.5; expected numbers from 0 to 1"):
        learner.tell([0.0, 1.5])
    learner.tell([0.5, 0.25])
    strict = MpTs(thresholds=0.5).start(2, 0.5, seed=1)
    strict.ask()
    with pytest.raises(InputError, match=r"losses\[0\] is 0.5; expected numbers 0 or 1"):
        strict.tell([0.5, 0.0])


FOLLOWERS = """
from allotment import *
problem = Problem([0.9, 0.8, 0.4, 0.3], 0.4, 1.0)
combinatorial = [Escb(), Cts(), Cucb(), Sdcb()]
policies = [CsbSt(learner=each, label="ST " + each.label) for each in [MpTs(), MpKlUcb(), *combinatorial]]
policies += [CsbDt(learner=each, gamma=0.1, epsilon=0.3, label="DT " + each.label) for each in combinatorial]
result = simulate(problem, policies, horizon=1200, replications=1, seed=1, record=[600, 1200])
for label in result:
    early, late = result[label].mean
    print(label, (late - early) / 600)
"""


def test_every_learner_can_follow_a_search():
    # Without compiling: ten pairs of search and learner are quicker played than compiled.
    command = [sys.executable, "-c", FOLLOWERS]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.rsplit(maxsplit=1) for line in done.stdout.splitlines()]
    assert len(lines) == 10
    for label, regret_per_round in lines:
        assert float(regret_per_round) < 0.1, label  # covering the wrong pair costs 0.4 and more


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MpKlUcb(exploration=-1), "exploration is -1; expected a finite number of at least 0"),
        (lambda: Escb(exploration="log"), "exploration is 'log'"),
        (lambda: Sdcb(levels=0), "levels is 0; expected a whole number of at least 1"),
        (lambda: CsbDt(learner=MpKlUcb()), "learner is MpKlUcb.*; expected a Combinatorial policy"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()
