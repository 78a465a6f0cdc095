"""Checks a policy's description: frozen, comparable, saved in files, and strict about bad input."""

import json
import pickle
from dataclasses import FrozenInstanceError, fields
from functools import partial
from typing import Any

import numpy as np

from allotment.policies.base.catalogue import classes_from_outside, describe, restore
from allotment.testing.common import ROUNDS, SEED, SMALL, ContractError, MakePolicy, require_refusal


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
