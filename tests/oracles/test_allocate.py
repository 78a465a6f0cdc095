"""The allocation in whole units against solvers too simple to be wrong, and against two that others wrote."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ortools.sat.python import cp_model
from scipy.optimize import Bounds, LinearConstraint, milp

from allotment.errors import InputError
from allotment.oracles.shares.allocate import allocate
from oracles.curves import SHAPES, assert_best, by_enumeration, by_table, curves, random_limits


def check(values, budget, least, most, groups, best):
    if best == -math.inf:
        with pytest.raises(InputError, match="expected"):
            allocate(values, budget, least=least, most=most, groups=groups)
    else:
        shares = allocate(values, budget, least=least, most=most, groups=groups)
        assert_best(shares, values, budget, least, most, groups, best)


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_enumeration(shape):
    rng = np.random.default_rng(len(shape))
    for _ in range(150):
        arms, units = int(rng.integers(1, 6)), int(rng.integers(0, 5))
        values, budget = curves(shape, arms, units, rng), int(rng.integers(0, arms * units + 2))
        limits = random_limits(rng, arms, units)
        check(values, budget, *limits, by_enumeration(values, budget, *limits))


@st.composite
def instances(draw):
    """Few distinct numbers, so that ties, exact fits and limits that leave one allocation are common."""
    arms, units = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    some = st.sampled_from([0.0, 0.0, 1.0, -1.0, 2.0, 0.5, 0.1, 0.3, 1e-9])
    number = draw(st.sampled_from([some, st.integers(-3, 3).map(float), st.floats(-1e3, 1e3)]))
    values = draw(
        st.lists(st.lists(number, min_size=units + 1, max_size=units + 1), min_size=arms, max_size=arms)
    )
    least = draw(st.lists(st.integers(0, 1), min_size=arms, max_size=arms))
    most = draw(st.lists(st.integers(0, units + 2), min_size=arms, max_size=arms))
    group = draw(st.lists(st.integers(-1, 1), min_size=arms, max_size=arms))
    groups = {}
    for name in set(group) - {-1}:
        low = draw(st.integers(0, 2 * units))
        members = [arm for arm in range(arms) if group[arm] == name]
        groups[name] = (members, low, low + draw(st.integers(0, 4)))
    budget = draw(st.integers(0, arms * units + 1))
    return np.array(values), budget, np.array(least), np.array(most), groups


@given(instances())
def test_equals_enumeration_with_ties(instance):
    check(*instance, by_enumeration(*instance))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("arms", "units", "budget"), [(20, 20, 80), (60, 12, 200), (300, 20, 1500)])
def test_equals_the_table(shape, arms, units, budget):
    rng = np.random.default_rng(arms)
    for _ in range(max(1, 240 // arms)):
        values, (least, most, groups) = curves(shape, arms, units, rng), random_limits(rng, arms, units)
        no_limits = np.zeros(arms, np.int64), np.full(arms, units), {}
        check(values, budget, *no_limits, by_table(values, budget, *no_limits))
        check(values, budget, least, most, groups, by_table(values, budget, least, most, groups))


def with_cp_sat(values, budget, least, most, groups, crew=None, before=None, moves=None):
    model = cp_model.CpModel()
    arms, columns = values.shape
    takes = [[model.new_bool_var("") for _ in range(columns)] for _ in range(arms)]
    spent = [sum(u * takes[i][u] for u in range(columns)) for i in range(arms)]
    for i in range(arms):
        model.add_exactly_one(takes[i])
        model.add_linear_constraint(spent[i], int(least[i]), int(most[i]))
    model.add(sum(spent) <= budget)
    if crew is not None:
        model.add(sum(takes[i][u] for i in range(arms) for u in range(1, min(crew[i], columns))) == 0)
    if moves is not None:
        gains = [(takes[i][u], u - before[i]) for i in range(arms) for u in range(before[i] + 1, columns)]
        model.add(sum(take * int(gain) for take, gain in gains) <= moves)
    for members, low, high in groups.values():
        model.add_linear_constraint(sum(spent[i] for i in members), low, high)
    model.maximize(sum(int(values[i, u]) * takes[i][u] for i in range(arms) for u in range(columns)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.objective_value if solver.solve(model) == cp_model.OPTIMAL else -math.inf


def with_highs(values, budget, least, most, groups, crew=None, before=None, moves=None):
    arms, columns = values.shape
    amounts = np.arange(columns, dtype=float)
    one = np.kron(np.eye(arms), np.ones(columns))
    spent = np.kron(np.eye(arms), amounts)
    rules = [
        LinearConstraint(one, 1, 1),
        LinearConstraint(spent, least, most),
        LinearConstraint(spent.sum(axis=0)[None], -np.inf, budget),
    ]
    for members, low, high in groups.values():
        rules.append(LinearConstraint(spent[members].sum(axis=0)[None], low, high))
    allowed = np.ones(values.shape)
    if crew is not None:
        allowed[(amounts[None, :] > 0) & (amounts[None, :] < np.array(crew)[:, None])] = 0
    if moves is not None:
        gains = np.maximum(amounts[None, :] - np.array(before)[:, None], 0)
        rules.append(LinearConstraint(gains.reshape(1, -1), -np.inf, moves))
    done = milp(
        -values.ravel(),
        integrality=np.ones(values.size),
        bounds=Bounds(0, allowed.ravel()),
        constraints=rules,
        options={"mip_rel_gap": 0.0},
    )
    return -done.fun if done.status == 0 else -math.inf


def fitting_limits(rng, values, budget):
    """Limits around an allocation, so that they do fit together: some bind, some do not."""
    arms, columns = values.shape
    units = np.minimum(rng.multinomial(budget * 9 // 10, np.ones(arms) / arms), columns - 1)
    least = np.where(rng.random(arms) < 0.2, units // 2, 0)
    most = np.where(rng.random(arms) < 0.2, units, columns - 1)
    groups, order = {}, rng.permutation(arms)
    for k, members in enumerate(np.array_split(order, 4)[: int(rng.integers(0, 5))]):
        total = int(units[members].sum())
        groups[k] = (
            members.tolist(),
            max(total - int(rng.integers(0, 9)), 0),
            total + int(rng.integers(0, 9)),
        )
    return least, most, groups


def whole_values(rng, arms, units):
    shape = str(rng.choice(SHAPES))
    values = curves(shape, arms, units, rng)
    return np.rint(values * (1 if shape in ("whole", "correlated") else 1000))


@pytest.mark.parametrize("seed", range(8))
def test_equals_cp_sat_on_whole_values(seed):
    rng = np.random.default_rng(seed)
    for _ in range(14):
        arms, units = int(rng.integers(5, 25)), int(rng.integers(3, 16))
        values, budget = whole_values(rng, arms, units), arms * units // 4
        limits = fitting_limits(rng, values, budget)
        assert allocate(
            values, budget, least=limits[0], most=limits[1], groups=limits[2]
        ).value == with_cp_sat(values, budget, *limits)


@pytest.mark.parametrize("seed", range(8))
def test_equals_highs_on_whole_values(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(14):
        arms, units = int(rng.integers(5, 25)), int(rng.integers(3, 16))
        values, budget = whole_values(rng, arms, units), arms * units // 4
        limits = fitting_limits(rng, values, budget)
        shares = allocate(values, budget, least=limits[0], most=limits[1], groups=limits[2])
        assert shares.value == pytest.approx(with_highs(values, budget, *limits), rel=1e-9)


def test_no_random_allocation_beats_it_among_thousands_of_arms():
    rng = np.random.default_rng(0)
    values = np.concatenate([curves(shape, 1000, 20, rng) for shape in SHAPES[:7]])
    shares = allocate(values, 20_000)
    assert shares.proved
    for _ in range(50):
        units = shares.units.copy()
        for i, j in rng.integers(0, len(units), (20, 2)):
            if i != j and units[i] > 0 and units[j] < 20:
                units[i], units[j] = units[i] - 1, units[j] + 1
        assert values[np.arange(7000), units].sum() <= shares.bound
