"""What response curves are said to take is what their arrays have."""

import numpy as np
import pytest

import allotment as al
from allotment.oracles.shares.size import sharing_bytes
from allotment.policies.any_response.bench import (
    belief_bytes,
    own_sizes,
    posterior_bytes,
    table_bytes,
)
from allotment.policies.any_response.curve_kinds import standard_sizes
from allotment.policies.any_response.family import may_be_capped
from allotment.policies.any_response.tuning import READING, SIMULATING

SMALL = 20_000  # bytes that do not grow


def bytes_in(*parts):
    """What different arrays have, wherever they are within tuples."""
    arrays, left = {}, list(parts)
    while left:
        part = left.pop()
        if isinstance(part, tuple):
            left += part
        elif isinstance(part, np.ndarray):
            arrays[id(part)] = part.nbytes
    return sum(arrays.values())


@pytest.mark.parametrize("units", [1, 4, 9, 10, 20, 100, 101])
@pytest.mark.parametrize("capped", [False, True])
def test_the_standard_family_has_as_many_curves_as_is_said(units, capped):
    family, sizes = al.Family.standard(units, capped), standard_sizes(units, capped)
    assert (sizes.coarse, sizes.tabled) == (family.weights.size, family.remaining.shape[0])
    assert (sizes.curves, sizes.kinds) == (family.kinds.size, family.kind_weights.size)
    parts = np.maximum(1, np.diff(family.levels.finer).ravel())
    assert sizes.most == family.levels.most == np.sort(parts)[-sizes.coarse :].sum()


CASES = [
    (3, 4, "losses", "binary", None),
    (40, 20, "finds", "binary", None),
    (7, 20, "losses", "counts", None),
    (7, 20, "finds", "counts", None),
    (2, 101, "losses", "binary", None),
    (6, 4, "losses", "binary", [(al.Step(0.5), 1.0), (al.Linear(0.9), 1.0)]),
]


@pytest.mark.parametrize(("arms", "units", "sees", "losses", "own"), CASES)
def test_tables_and_beliefs_take_what_is_said(arms, units, sees, losses, own):
    policy = al.AnyResponse(unit=1 / units, sees=sees, losses=losses, curves=own)
    state, counts = policy.start(arms, arms / 2, seed=0).state, losses == "counts"
    beliefs, prior = state.beliefs, state.beliefs.prior
    sizes = standard_sizes(units, may_be_capped(losses, sees, 1)) if own is None else own_sizes(len(own))
    tables = [
        prior.seen,
        prior.seen_at,
        prior.single_at,
        prior.kinds,
        prior.levels,
        prior.outlines,
        prior.means,
    ]
    tables.append(prior.log_seen_at)
    remaining = prior.seen.nbytes if sees == "finds" else 0  # the family's own table
    assert table_bytes(sizes, units, finds=sees == "finds", counts=counts) == bytes_in(*tables) + remaining
    said = belief_bytes(sizes, units, arms, counts=counts, nodes=SIMULATING.nodes)
    assert said == pytest.approx(bytes_in(*beliefs[1:], prior.weights), rel=0.02)
    assert bytes_in(state) < sum(policy.footprint(arms)) + SMALL
    assert sum(policy.footprint(arms)) < 1.5 * bytes_in(state) + remaining
    posterior = al.ResponsePosterior(al.Evidence(arms, sees=sees, losses=losses), unit=1 / units, curves=own)
    fine, shown = posterior._curves, (posterior.chances, posterior.mean_losses)
    said = posterior_bytes(sizes, units, arms, counts=counts)
    assert said == pytest.approx(bytes_in(*fine[1:], fine.prior.weights, *shown), rel=0.02)
    assert counts or fine.rate.shape[1] == READING.nodes


@pytest.mark.parametrize(
    ("situations", "units", "losses"), [(2, 20, "binary"), (6, 4, "counts"), (3, 101, "binary")]
)
def test_beliefs_in_several_situations_take_what_is_said(situations, units, losses):
    policy = al.AnyResponse(unit=1 / units, losses=losses, situations=situations)
    beliefs, counts = policy.start(9, 4.5, seed=0).state.beliefs, losses == "counts"
    said = belief_bytes(
        standard_sizes(units), units, 9, counts=counts, nodes=SIMULATING.nodes, situations=situations
    )
    parts = [*beliefs.lines[1:], *beliefs.pooled[1:], *beliefs[2:], beliefs.prior.weights]
    assert said == pytest.approx(bytes_in(*parts), rel=0.03)


@pytest.mark.parametrize("groups", [None, {"north": ([0, 1], 0.1, 1.5)}])
@pytest.mark.parametrize("calm", [{}, {"before": 0.0, "moves": 2.0}])
def test_sharing_out_takes_no_more_than_is_said(groups, calm):
    for arms, units in ((8, 20), (30, 100), (200, 20)):
        policy = al.AnyResponse(unit=1 / units)
        state = policy.start(arms, float(arms), seed=0, groups=groups, **calm).state
        said = sharing_bytes(units, arms, groups=groups is not None, moves="moves" in calm)
        assert 0.4 * said < bytes_in(state.oracle) < said + SMALL


@pytest.mark.parametrize(
    "policy", [al.Joint(), al.Joint(resolution=0.001), al.Joint(shared=True), al.PairTs(), al.CucbDra()]
)
def test_other_policies_take_about_what_is_said(policy):
    arms = 300
    state = policy.start(arms, 60.0, seed=0).state
    tables = bytes_in(getattr(state, "beliefs", state), getattr(state, "raises", ()))
    assert 0.5 * tables < policy.footprint(arms).each
