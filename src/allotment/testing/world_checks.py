"""Checks a world: complete, true to what it declares, and the same for all policies."""

import json
import pickle
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import nonnegative, one_of, vector, whole
from allotment.errors import AllotmentError, InputError
from allotment.policies.random_split import RandomSplit
from allotment.simulation.trace import trace
from allotment.testing.better_grants import better_grants
from allotment.testing.common import SEED, ContractError
from allotment.tolerance import slack_of
from allotment.worlds.descriptions import describe_world, restore_world
from allotment.worlds.environment import observe, situation_of
from allotment.worlds.optimum import Optimum
from allotment.worlds.units import feasible
from allotment.worlds.world import KINDS, SEES, World, checked_world

ROUNDS = 200  # at least; a world that changes is followed beyond its last change
MOST_ROUNDS = 20_000  # of a world that changes late
LAST = 50  # rounds to compare after different histories
SAMPLES = 4000  # rounds whose mean loss is compared with its expectation
ERRORS = 6.0  # standard errors by which they may differ
ACCURACY = 1e-9  # of regret, relative to the loss where that is above 1


def check_world(world: World) -> None:
    """Check that a world keeps the contract: reproducible, and with a best allocation that nothing beats.

    Parameters
    ----------
    world : World
        The world.

    Raises
    ------
    ContractError
        If it breaks the contract. The message says what was expected and what happened.
    KernelError
        If one of its kernels fails, or cannot be compiled.

    Examples
    --------
    >>> from allotment import Problem
    >>> check_world(Problem.named("paper-1"))  # doctest: +SKIP
    """
    checked_world(world)
    for check in WORLD_CHECKS:
        check(world)


def check_offer(world: World) -> None:
    """It says what it must, in forms that can be used, and its best may be granted in every round."""
    try:
        arms = whole("arms", world.arms, least=1)
        nonnegative("budget", world.budget)
        vector("severities", world.severities, "above 0", length=arms, above=0.0)
        one_of("sees", world.sees, SEES)
        one_of("losses", world.losses, KINDS)
        situations = whole("situations", world.situations, least=1)
        starts = [whole("changes", start, least=2) for start in world.changes]
        if starts != sorted(set(starts)):
            raise InputError.of("changes", world.changes, "rounds that increase")
        bests = {f"best_in({start})": world.best_in(start) for start in (1, *starts)}
        if situations > 1:
            bests |= {f"best_of({each})": world.best_of(each) for each in range(situations)}
        for name, best in bests.items():
            if not isinstance(best, Optimum):
                raise InputError.of(name, best, "an Optimum")
            feasible(best.allocation, arms, world.budget)
        if not isinstance(world.environment(), tuple):
            raise InputError.of("environment()", world.environment(), "a NamedTuple")
        _play(world, _best_of_all(world), _luck(world, 1))
    except AllotmentError as error:
        raise ContractError(f"{_name(world)}: {error}") from None


def check_reproducible(world: World) -> None:
    """The same luck and the same grants give the same rounds, in every environment that it makes."""
    luck = _luck(world)
    grants = _some_grants(world, len(luck))
    _require_same(world, _play(world, grants, luck), _play(world, grants, luck), "the same rounds again")
    try:
        one, other = (trace(world, RandomSplit(), horizon=ROUNDS, seed=SEED) for _ in range(2))
    except InputError as error:
        raise ContractError(str(error)) from None
    simulated = (one.losses, one.regret), (other.losses, other.regret)
    _require_same(world, *simulated, "the same simulation again")


def check_luck(world: World) -> None:
    """A round depends on its number, its luck and its grants alone; and luck does not count as regret."""
    luck = _luck(world)
    for others in (_some_grants(world, len(luck)), np.zeros((len(luck), world.arms))):
        others[-LAST:] = _best_of_all(world)[-LAST:]
        seen, regret = _play(world, others, luck)
        expected, best = _play(world, _best_of_all(world), luck)
        ends = (seen[-LAST:], regret[-LAST:]), (expected[-LAST:], best[-LAST:])
        _require_same(world, *ends, "a round not to depend on what was granted before")
    grants = _some_grants(world, len(luck))
    _, regret = _play(world, grants, luck)
    _, other = _play(world, grants, luck[::-1])
    if not np.allclose(regret, other, rtol=0.0, atol=_accuracy(world)):
        raise ContractError(f"{_name(world)} counts luck as regret; expected regret in expectation")


def check_situations(world: World) -> None:
    """Its environment knows the situation of every round, and to ask for it changes nothing."""
    luck, grants, environment = _luck(world), _best_of_all(world), world.environment()
    seen, regret = np.zeros(luck.shape), np.zeros(len(luck))
    for t in range(len(luck)):
        expected, found = world.situation_in(t + 1), situation_of(environment)
        if found != expected or not 0 <= found < world.situations:
            raise ContractError(
                f"the environment of {_name(world)} is in situation {found} in round {t + 1}; expected "
                f"{expected}, which situation_in gives, and less than {world.situations}"
            )
        regret[t] = observe(environment, luck[t], grants[t], seen[t])
    asked = "the same rounds whether its situation is asked for or not"
    _require_same(world, _play(world, grants, luck), (seen, regret), asked)


def check_best(world: World) -> None:
    """Its best has regret 0 in every round, and nothing that may be granted has less."""
    luck, best = _luck(world), _best_of_all(world)
    accuracy = _accuracy(world)
    _, regret = _play(world, best, luck)
    if not (np.abs(regret) <= accuracy).all():
        t = int(np.argmax(~(np.abs(regret) <= accuracy)))
        raise ContractError(
            f"the best of {_name(world)} has a regret of {regret[t]:g} in round {t + 1}; expected 0"
        )
    searched = (
        np.vstack([best[: t - 1], grants])
        for t in _first_rounds(world, len(luck))
        for grants in better_grants(world, t)
    )
    for grants in chain(_many_grants(world, len(luck)), searched):
        _, regret = _play(world, grants, luck[: len(grants)])
        if not (regret >= -accuracy).all():
            t = int(np.argmin(regret))
            raise ContractError(
                f"{_name(world)} gives {grants[t].round(4).tolist()} a regret of {regret[t]:g} in round "
                f"{t + 1}; expected none below 0, the best's"
            )


def check_losses(world: World) -> None:
    """Check that observations are of the declared kind, and that their mean agrees with the regret."""
    length = min(SAMPLES, world.changes[0] - 1 if world.changes else SAMPLES)
    stream = np.random.default_rng(SEED)
    for grants in (np.zeros(world.arms), world.best_in(1).allocation, _some_grants(world, 1)[0]):
        seen, regret = [], np.zeros(length)
        for _ in range(-(-SAMPLES // length)):
            luck = stream.random((length, world.arms))
            losses, regret = _play(world, np.tile(grants, (length, 1)), luck)
            seen.append(losses)
        lost = np.concatenate(seen)
        most = 1.0 if world.losses == "binary" else np.inf
        if not ((lost >= 0.0) & (lost <= most) & (lost == np.floor(lost))).all():
            raise ContractError(
                f"{_name(world)} shows numbers that are not {world.losses}; expected whole ones"
            )
        if world.sees == "finds":
            continue
        costs = lost @ np.asarray(world.severities)
        expected = float(np.mean(regret + _best_losses(world, length)))
        margin = ERRORS * float(costs.std()) / np.sqrt(len(costs)) + 1e-3 * max(1.0, expected)
        if abs(costs.mean() - expected) > margin:
            raise ContractError(
                f"{_name(world)} loses {costs.mean():.4g} a round on average; expected {expected:.4g}, which "
                f"regret is reckoned with"
            )


def check_copies(world: World) -> None:
    """It survives being written down, and being sent to another process."""
    try:
        written = json.loads(json.dumps(describe_world(world)))
        copies = [restore_world(written, [type(world)]), pickle.loads(pickle.dumps(world))]
    except (AllotmentError, TypeError, ValueError, AttributeError, pickle.PicklingError) as error:
        raise ContractError(f"{_name(world)} cannot be written down: {error}") from None
    for copy in copies:
        if copy != world:
            raise ContractError(f"{_name(world)} came back as {copy}; expected {world}")


WORLD_CHECKS: tuple[Callable[[World], None], ...] = (
    check_offer,
    check_reproducible,
    check_luck,
    check_situations,
    check_best,
    check_losses,
    check_copies,
)


def _name(world: World) -> str:
    return type(world).__name__


def _accuracy(world: World) -> float:
    return ACCURACY * max(1.0, world.best_in(1).loss)


def _luck(world: World, rounds: int | None = None) -> FloatArray:
    """Uniform numbers for `rounds` rounds, or for enough rounds to see every stage."""
    if rounds is None:
        rounds = min(MOST_ROUNDS, max([ROUNDS, *(start + 5 for start in world.changes)]))
    return np.random.default_rng(SEED).random((rounds, world.arms))


def _play(world: World, grants: FloatArray, luck: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Play a new environment; return the observations and the regret of each round."""
    environment = world.environment()
    seen, regret = np.zeros(luck.shape), np.zeros(len(luck))
    for t in range(len(luck)):
        given, lucky = np.array(grants[t]), luck[t].copy()
        regret[t] = observe(environment, lucky, given, seen[t])
        if not (np.array_equal(given, grants[t]) and np.array_equal(lucky, luck[t])):
            raise ContractError(f"{_name(world)} writes into the grants or the luck; expected losses alone")
    return seen, regret


def _situations(world: World, rounds: int) -> IntArray:
    """The situation of every round."""
    return np.array([world.situation_in(t) for t in range(1, rounds + 1)])


def _first_rounds(world: World, rounds: int) -> list[int]:
    """The first round of each situation that occurs."""
    _, positions = np.unique(_situations(world, rounds), return_index=True)
    return [int(position) + 1 for position in positions]


def _best_losses(world: World, rounds: int) -> FloatArray:
    """The loss of the best in every round of the first stage."""
    if world.situations == 1:
        return np.full(rounds, world.best_in(1).loss)
    losses = np.array([world.best_of(situation).loss for situation in range(world.situations)])
    return losses[_situations(world, rounds)]


def _best_of_all(world: World) -> FloatArray:
    """The best grants of every round: by situation, or from the start of each stage until the next."""
    starts, rounds = (1, *world.changes), len(_luck(world))
    if world.situations > 1:
        best = np.stack([world.best_of(situation).allocation for situation in range(world.situations)])
        return best[_situations(world, rounds)]
    best = np.stack([world.best_in(start).allocation for start in starts])
    return best[np.searchsorted(starts, np.arange(1, rounds + 1), side="right") - 1]


def _some_grants(world: World, rounds: int) -> FloatArray:
    """Random grants: now and then all of the budget, now and then little, on few arms or many."""
    stream = np.random.default_rng(SEED + 1)
    grants = stream.random((rounds, world.arms)) * (stream.random((rounds, world.arms)) < stream.random())
    room = (world.budget + 0.5 * slack_of(min(world.budget, world.arms))) * stream.choice([0.5, 1.0], rounds)
    totals = np.maximum(grants.sum(axis=1), 1e-300)
    return grants * np.minimum(1.0, room / totals)[:, np.newaxis]


def _many_grants(world: World, rounds: int) -> Iterator[FloatArray]:
    """Grants that might be better than the best: random ones, full ones, and the best with parts moved."""
    yield _some_grants(world, rounds)
    stream = np.random.default_rng(SEED + 2)
    order = np.argsort(stream.random((rounds, world.arms)), axis=1)
    sizes = stream.choice([0.1, 0.25, 0.5, 0.75, 1.0], (rounds, 1))
    room = np.clip(world.budget - sizes * np.arange(world.arms), 0.0, sizes)
    yield np.take_along_axis(room, order, axis=1)
    moved = _best_of_all(world)
    for grants in moved:
        giver, taker = stream.integers(0, world.arms, 2)
        part = min(grants[giver] * stream.choice([0.1, 0.5, 1.0]), 1.0 - grants[taker])
        grants[giver] -= part
        grants[taker] += part
    yield moved


def _require_same(world: World, expected: Any, seen: Any, what: str) -> None:
    if not all(np.array_equal(one, other) for one, other in zip(expected, seen, strict=True)):
        raise ContractError(f"{_name(world)} gave other numbers; expected {what}")
