"""Checks what a policy says it accepts (any amounts, missing reports, any order, evidence), and its files."""

import json
import pickle
from collections.abc import Iterable
from dataclasses import FrozenInstanceError, fields
from functools import partial
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.switches import interpreting
from allotment.evidence import Evidence
from allotment.policies.base.catalogue import classes_from_outside, describe, restore
from allotment.policies.base.learner import Learner
from allotment.policies.base.policy import Policy
from allotment.testing.common import (
    ROUNDS,
    SEED,
    SMALL,
    ContractError,
    MakePolicy,
    require_equal,
    require_refusal,
    start_small,
)

HISTORY = 120  # rounds
ANSWERS = 5

Round = tuple[FloatArray, FloatArray, int]  # an allocation, the losses seen under it, and the situation


def check_accepts(make: MakePolicy) -> None:
    """Check that the policy learns from the inputs it accepts, and refuses all others.

    Several learners get the same history: asked every round, never asked, in another order, in parts, or as
    evidence to start from. All must give the same answers.
    """
    policy = make(SMALL)
    history, accepts = _history(policy), policy.accepts
    if accepts.any_amounts:
        expected = _answers(_told(policy, history))
        asked = _told(policy, history, ask=True)
        require_equal(
            policy, expected, _answers(asked), "to learn from what was granted, not from what was asked"
        )
        if accepts.any_order:
            backwards = _told(policy, history[::-1])
            require_equal(policy, expected, _answers(backwards), "the order of reports not to matter")
        if accepts.partial_reports:
            in_parts = _told(policy, _in_parts(history))
            require_equal(policy, expected, _answers(in_parts), "reports in parts to be as good as one")
        if accepts.evidence and accepts.any_order:  # else what came first counts for less
            informed = start_small(policy, evidence=_evidence(policy, history))
            require_equal(
                policy, expected, _answers(informed), "a start from evidence to be as good as living it"
            )
    if accepts.bounds:
        _check_bounds(policy)
    _check_refusals(policy)


def _check_bounds(policy: Policy) -> None:
    """Check that allocations keep to crews and moves."""
    before = np.array([0.5, 0.25, 0.0])
    with interpreting():  # for one answer, compiling would take longer
        crewed = start_small(policy, crew=0.75).ask()
        moved = np.maximum(start_small(policy, before=before, moves=0.25).ask() - before, 0.0)
    odd, gained = crewed[(crewed > 0.0) & (crewed < 0.75 - SMALL.slack)], float(moved.sum())
    require_equal(policy, [], odd.tolist(), "every arm to get nothing or at least its crew of 0.75")
    require_equal(policy, True, gained <= 0.25 + SMALL.slack, "arms to gain at most the moves of 0.25")


def _check_refusals(policy: Policy) -> None:
    """What it does not say it accepts."""
    accepts, learner = policy.accepts, start_small(policy)
    learner.ask()
    losses: Any
    for accepted, what, losses in (
        (accepts.partial_reports, "a missing report", [0, np.nan, 0]),
        (accepts.counts, "a count", [0, 3, 0]),
        (accepts.fractional_losses, "a fraction of a loss", [0, 0.5, 0]),
    ):
        if not accepted:
            require_refusal(policy, what, partial(learner.tell, losses))
    if not accepts.any_amounts:
        other = 0.5 * learner.ask() + 0.001
        require_refusal(policy, "grants that it did not ask for", partial(learner.tell, [0, 0, 0], other))
    if not accepts.bounds:
        require_refusal(policy, "floors", partial(start_small, policy, least=0.1))
        require_refusal(policy, "crews", partial(start_small, policy, crew=0.5))
        require_refusal(policy, "moves", partial(start_small, policy, before=0.0, moves=1.0))
    known = Evidence(SMALL.arms, [(0, 0.5, 3, 1)], situations=policy.situations)
    if not accepts.evidence:
        require_refusal(policy, "evidence", partial(start_small, policy, evidence=known))
        return
    require_refusal(policy, "evidence of other arms", partial(start_small, policy, evidence=Evidence(9)))
    kinds: list[tuple[bool, dict[str, Any]]] = [
        (accepts.counts, {"losses": "counts"}),
        (accepts.finds, {"sees": "finds"}),
        (not accepts.situations, {"situations": policy.situations + 1}),
    ]
    for accepted, kind in kinds:
        if not accepted:
            odd = Evidence(SMALL.arms, **kind)
            require_refusal(policy, f"evidence with {kind}", partial(start_small, policy, evidence=odd))


def _history(policy: Policy) -> list[Round]:
    """Rounds at amounts of every sort, with losses as the small problem has them, in all situations."""
    stream, rounds = np.random.default_rng(SEED), []
    for t in range(HISTORY):
        amounts = np.round(stream.random(SMALL.arms), 3)
        amounts = np.where(stream.random(SMALL.arms) < 0.4, 0.0, amounts)
        amounts = np.where(stream.random(SMALL.arms) < 0.2, SMALL.thresholds, amounts)
        happens = stream.random(SMALL.arms) < SMALL.loss_rates
        losses = np.where(happens & (amounts < SMALL.thresholds), 1.0, 0.0)
        rounds.append((amounts, losses, t % policy.situations))
    return rounds


def _in_parts(history: Iterable[Round]) -> list[Round]:
    """Each round twice: a report of the first arm, and one of the others."""
    first = np.arange(SMALL.arms) == 0
    return [
        (amounts, np.where(part, losses, np.nan), situation)
        for amounts, losses, situation in history
        for part in (first, ~first)
    ]


def _evidence(policy: Policy, history: Iterable[Round]) -> Evidence:
    rows = [
        (arm, amounts[arm], 1, losses[arm], situation)
        for amounts, losses, situation in history
        for arm in range(SMALL.arms)
    ]
    kind = getattr(policy, "losses", "binary")
    return Evidence(SMALL.arms, rows, losses=kind, situations=policy.situations)


def _told(policy: Policy, history: Iterable[Round], *, ask: bool = False) -> Learner:
    learner = start_small(policy)
    for amounts, losses, situation in history:
        if ask:
            learner.ask(situation)
        learner.tell(losses, amounts, situation)
    return learner


def _answers(learner: Learner) -> FloatArray:
    """What it grants next in each situation, from a stream that is the same for all."""
    learner.stream = np.random.default_rng(SEED)
    answers = []
    for t in range(ANSWERS * learner.policy.situations):
        answers.append(learner.ask(t % learner.policy.situations))
        learner.tell([0] * SMALL.arms)
    return np.array(answers)


def check_description(make: MakePolicy) -> None:
    """It is frozen, comparable, and survives JSON and pickling."""
    policy = make(SMALL)
    if policy != make(SMALL):
        raise ContractError(
            f"{policy.label} differs from itself made anew; expected equal parameters to compare"
        )
    try:
        setattr(policy, fields(policy)[0].name, None)
    except FrozenInstanceError:
        pass
    else:
        raise ContractError(f"{policy.label} can be changed; expected a frozen dataclass")
    try:
        described = json.loads(json.dumps(describe(policy)))
        copies = [
            restore(described, classes_from_outside(policy)),
            pickle.loads(pickle.dumps(policy)),
        ]
    except (TypeError, ValueError, AttributeError, pickle.PicklingError) as error:
        raise ContractError(f"{policy.label} cannot be described as plain data: {error}") from None
    for copy in copies:
        if copy != policy or copy.label != policy.label:
            raise ContractError(f"{policy.label} came back as {copy}; expected {policy}")


def check_bad_input(make: MakePolicy) -> None:
    """What cannot be used is refused with an InputError."""
    policy = make(SMALL)
    bad: Any
    for bad in ((0, 1.0), (-1, 1.0), (2.5, 1.0), (3, -1.0), (3, np.nan), (3, np.inf), (3, "x")):
        require_refusal(policy, f"start{bad}", partial(policy.start, *bad, seed=SEED))
    odd: Any
    for odd in (-1, 1.5, None, "x"):
        require_refusal(policy, f"seed={odd!r}", partial(policy.start, SMALL.arms, SMALL.budget, seed=odd))
    learner = policy.start(SMALL.arms, SMALL.budget, seed=SEED, horizon=ROUNDS)
    require_refusal(policy, "tell before ask", lambda: learner.tell([0, 0, 0]))
    learner.ask()
    told: Any
    for told in ([0, 0], [0, 0, 0, 0], [0, 0, np.inf], [0, -1, 0], "abc", [[0, 0, 0]], None):
        require_refusal(policy, f"tell({told})", partial(learner.tell, told))
    for odd in ([0.5] * 2, [-0.1, 0, 0], [1.5, 0, 0], [np.nan, 0, 0], "abc"):
        require_refusal(policy, f"an allocation of {odd}", partial(learner.tell, [0, 0, 0], odd))
    learner.tell([0] * SMALL.arms)
