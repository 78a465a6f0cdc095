"""Joint grants what its page says: a second implementation, which follows the page, decides the same."""

from functools import partial

import numpy as np
import pytest

from allotment import Evidence, Joint, Problem
from allotment.worlds.environment import observe
from policies.joint import plain_joint
from policies.joint.plain_arm import World
from policies.joint.plain_joint import Luck, decide

CLOSE = 1e-11  # amounts within 1e-12 are one to Joint, and rounding may add a step of that size
MOST_AMOUNTS = 46  # of an arm; with HALF of the room taken, it counts which candidates were dropped, and when


def worlds(seed, count):
    """Random problems, with policies for them: on the grid and off it, with leaks and with counts."""
    stream = np.random.default_rng(seed)
    for number in range(count):
        options = {"resolution": float(stream.choice([0.01, 0.05, 0.1, 0.3]))}
        on_grid = {"resolution": options["resolution"]} if stream.random() < 0.25 else {}
        counts = stream.random() < 0.25
        hopeless = bool(stream.random() < 0.3)
        problem = Problem.random(
            int(stream.integers(1, 7)),
            seed=seed * 1000 + number,
            hopeless=hopeless,
            losses="counts" if counts else "binary",
            **on_grid,
        )
        if stream.random() < 0.2:
            options["finest"] = None if stream.random() < 0.5 else 1e-4
        if stream.random() < 0.3:
            options["leak" if counts else "leak_chance"] = 0.02
        if stream.random() < 0.3:
            options["shape"] = (2.0, 1.5)
        options["off_grid"] = float(stream.choice([0.05, 0.9, 0.995]))
        yield problem, Joint(losses="counts" if counts else "binary", **options)


def told(policy, problem):
    """What the plain implementation is told."""
    return partial(
        World,
        budget=min(problem.budget, float(problem.arms)),
        severities=problem.severities.tolist(),
        resolution=policy.resolution,
        finest=np.inf if policy.finest is None else policy.finest,
        off_grid=policy.off_grid,
        uncoverable=policy.uncoverable,
        shape=policy.shape,
        leak=policy.leak if policy.losses == "counts" else policy.leak_chance,
        counts=policy.losses == "counts",
    )


def situations(problem, policy, seed, rounds, compared):
    """Play a run, and yield evidence, random numbers and grants of some of its rounds."""
    stream = np.random.default_rng(seed)
    learner = policy.start(problem.arms, problem.budget, seed=seed, severities=problem.severities)
    environment, losses = problem.environment(), np.zeros(problem.arms)
    at = set(np.unique(np.geomspace(1, rounds, compared).astype(int)).tolist())
    rows = [{} for _ in range(problem.arms)]
    for t in range(1, rounds + 1):
        grants = learner.ask()
        if t in at:
            evidence = [[(amount, n, x) for amount, (n, x) in arm.items()] for arm in rows]
            yield evidence, grants, learner.state.draws
        observe(environment, stream.random(problem.arms), grants, losses)
        learner.tell(losses)
        for arm in range(problem.arms):
            n, x = rows[arm].get(grants[arm], (0, 0))
            rows[arm][grants[arm]] = n + 1, x + losses[arm]
        if max(len(arm) for arm in rows) > MOST_AMOUNTS:
            return


def require_the_same(grants, world, evidence, draws):
    """The plain implementation decides the same, given the random numbers that were drawn."""
    luck = Luck(draws.uniform[0], draws.quantiles.tolist(), draws.rates.tolist())
    choices = tuple(map(tuple, (draws.chosen.tolist(), draws.within.tolist())))
    expected = decide(world(choices=choices), evidence, luck)
    np.testing.assert_allclose(grants, expected, rtol=0.0, atol=CLOSE)


def compare(seed, count, rounds, compared):
    """How many situations were compared, and of which kinds."""
    kinds = dict.fromkeys(("finer", "probing", "on_grid"), 0)
    total = 0
    for number, (problem, policy) in enumerate(worlds(seed, count)):
        world = told(policy, problem)
        for evidence, grants, draws in situations(problem, policy, number, rounds, compared):
            require_the_same(grants, world, evidence, draws)
            total += 1
            for kind in kinds:
                kinds[kind] += int(getattr(draws, kind)[0])
    return total, kinds


def test_both_implementations_decide_the_same():
    total, kinds = compare(seed=1, count=20, rounds=300, compared=14)
    assert total > 200
    assert min(kinds.values()) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_both_implementations_decide_the_same_in_thousands_of_situations(seed):
    total, kinds = compare(seed=seed, count=20, rounds=3000, compared=40)
    assert total > 500
    assert min(kinds.values()) > 20


def tight_spots(seed, count):
    """Arms whose thresholds are nearly known, with a budget that some of them need nearly all of.

    These are rare in runs, and the only situations in which it pays to go far down a cell.
    """
    stream = np.random.default_rng(seed)
    for number in range(count):
        arms = int(stream.integers(2, 7))
        thresholds, rows = stream.uniform(0.05, 0.9, arms), []
        for threshold in thresholds:
            below, above = threshold * (1.0 - 10.0 ** stream.uniform(-4.0, -0.3, 2) * [1.0, -1.0])
            quiet = int(10.0 ** stream.uniform(0.5, 4.0))
            rows.append([(0.0, 40, int(stream.integers(2, 38))), (below, 30, 3), (min(above, 1.0), quiet, 0)])
        some = thresholds[stream.random(arms) < 0.6].sum()
        budget = float(some * (1.0 + stream.choice([0.0, 1e-9, 1e-3, -1e-4])))
        # Severities that differ, so that no two choices of arms are as good as each other.
        problem = Problem([0.5] * arms, thresholds, budget, severities=stream.uniform(0.5, 2.0, arms))
        finest = float(stream.choice([1e-12, 1e-12, 1e-5]))
        policy = Joint(off_grid=0.999, finest=finest, resolution=float(stream.choice([0.01, 0.1])))
        table = [(arm, *row) for arm in range(arms) for row in rows[arm]]
        known = {"evidence": Evidence(arms, table), "severities": problem.severities}
        yield problem, policy, rows, policy.start(arms, budget, seed=number, **known)


@pytest.mark.parametrize("count", [200, pytest.param(4000, marks=pytest.mark.soak)])
def test_both_decide_the_same_in_tight_spots(count, monkeypatch):
    ways, make_way = [], plain_joint.make_way
    monkeypatch.setattr(plain_joint, "make_way", lambda *given: ways.append(make_way(*given)))
    for problem, policy, rows, learner in tight_spots(8, count):
        for _ in range(3):
            require_the_same(learner.ask(), told(policy, problem), rows, learner.state.draws)
            learner.tell([np.nan] * problem.arms)
    assert len(ways) > count // 100


def test_evidence_from_elsewhere_is_as_good():
    """Amounts that Joint would never have granted."""
    stream = np.random.default_rng(5)
    for seed in range(30):
        problem = Problem.random(4, seed=seed)
        amounts = stream.choice([0.0, 0.3, *stream.random(6)], (4, 3))
        rows = [[(float(a), 20, 2), (float(b), 20, 0), (float(c), 5, 0)] for a, b, c in amounts]
        table = [(arm, *row) for arm in range(4) for row in rows[arm]]
        policy = Joint(leak_chance=0.01)
        learner = policy.start(4, problem.budget, seed=seed, evidence=Evidence(4, table))
        grants = learner.ask()
        require_the_same(grants, told(policy, problem), rows, learner.state.draws)
