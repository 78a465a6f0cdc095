"""A learner: what a policy has learnt so far, to be asked and told; and what learners may accept."""

from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import vector
from allotment.compiling.decorators import Entry
from allotment.compiling.switches import interpreting
from allotment.errors import InputError, NotAcceptedError, kernels_of, shown
from allotment.kernels.bits import sow_all
from allotment.kernels.protocol import Findings, Reports, ask, ask_in_python_seconds, ready_for, report, tell


@dataclass(frozen=True)
class Accepts:
    """What a learner can take in, beside yes/no losses of the allocation that it asked for, in order."""

    any_amounts: bool = False  # other grants than asked for, and reports without asking
    partial_reports: bool = False  # NaN: not reported
    any_order: bool = False  # late reports
    counts: bool = False  # how often something was lost
    fractional_losses: bool = False  # a loss may be anything from 0 to 1
    finds: bool = False  # what was prevented is seen, and not what was lost
    evidence: bool = False  # to start from
    bounds: bool = False  # floors, caps, groups, crews and moves

    def __or__(self, other: "Accepts") -> "Accepts":
        return Accepts(*(mine or others for mine, others in zip(astuple(self), astuple(other), strict=True)))


LEARNS_FROM_EVIDENCE = Accepts(any_amounts=True, partial_reports=True, any_order=True, evidence=True)
LEARNS_NOTHING = LEARNS_FROM_EVIDENCE | Accepts(counts=True, fractional_losses=True, finds=True)


@partial(Entry, python_seconds=lambda state, *_: ask_in_python_seconds(state))
def _ask_once(state, rng, allocation):  # type: ignore[no-untyped-def]
    ask(state, rng, allocation)


@Entry
def _tell_once(state, allocation, losses):  # type: ignore[no-untyped-def]
    tell(state, allocation, losses)


class Learner:
    """Holds what a policy has learnt so far. What it does depends on policy, arms, budget, seed and history.

    >>> from allotment.policies.equal_split import EqualSplit
    >>> learner = EqualSplit().start(arms=4, budget=1.0, seed=0)
    >>> learner.ask().tolist()
    [0.25, 0.25, 0.25, 0.25]
    >>> learner.tell([0, 1, 0, 0])
    >>> learner.rounds
    1
    """

    def __init__(self, policy: Any, state: Any, arms: int, stream: np.random.Generator) -> None:
        self.policy = policy
        self.rounds = 0
        self.state = state
        self.stream = stream  # which also seeds what the state draws from
        self.allocation = np.zeros(arms)
        self._asked = False

    @property
    def stream(self) -> np.random.Generator:
        """What it draws from."""
        return self._stream

    @stream.setter
    def stream(self, stream: np.random.Generator) -> None:
        self._stream = stream
        sow_all(self.state, stream)

    def ask(self) -> FloatArray:
        """This round's allocation; asked again before `tell`, the same."""
        if not self._asked:
            with kernels_of(self.policy.label):
                _ask_once(self.state, self.stream, self.allocation)
            self._asked = True
        return self.allocation.copy()

    def tell(self, losses: ArrayLike, allocation: ArrayLike | None = None) -> None:
        """Say where losses were seen: 1 where there was one, 0 elsewhere, NaN where nobody reported.

        Some policies take fractions, or counts. `allocation` is what was granted in truth, if it is not what
        was asked for: any amounts from 0 to 1, whatever the budget, with or without asking before. What a
        policy cannot take, it refuses; `Policy.accepts` says what it can.
        """
        seen, granted = self._checked_losses(losses), self._checked_amounts(allocation)
        if allocation is not None:
            self.state = ready_for(self.state, granted)
        with kernels_of(self.policy.label):
            _tell_once(self.state, granted, seen)
        self._asked = False
        self.rounds += 1

    def _checked_losses(self, losses: ArrayLike) -> FloatArray:
        accepts, label = self.policy.accepts, self.policy.label
        expected = "that are whole" if accepts.counts else "from 0 to 1"
        if not (accepts.counts or accepts.fractional_losses):
            expected = "0 or 1"
        most = np.inf if accepts.counts else 1.0
        arms = self.allocation.size
        seen = vector(
            "losses", losses, expected, length=arms, least=0.0, most=most, kinds="biuf", missing=True
        )
        missing = np.isnan(seen)
        if missing.any() and not accepts.partial_reports:
            raise NotAcceptedError(
                f"losses[{int(np.flatnonzero(missing)[0])}] is not reported (NaN); {label} needs a report of "
                f"every arm",
                what="losses",
                value=losses,
            )
        odd = ~missing & (seen != np.floor(seen))
        if odd.any() and not accepts.fractional_losses:
            where = int(np.flatnonzero(odd)[0])
            raise InputError.of(f"losses[{where}]", seen[where], f"numbers {expected}")
        return np.array(seen)

    def _checked_amounts(self, allocation: ArrayLike | None) -> FloatArray:
        if allocation is None:
            if not self._asked:
                raise InputError("losses were told for no allocation; ask first")
            return self.allocation
        arms, label = self.allocation.size, self.policy.label
        granted = vector("allocation", allocation, "between 0 and 1", length=arms, least=0.0, most=1.0)
        if not self.policy.accepts.any_amounts and not (
            self._asked and np.array_equal(granted, self.allocation)
        ):
            raise NotAcceptedError(
                f"{label} learns from the grants that it asked for only; allocation is {shown(granted)}",
                f"{shown(self.allocation)}" if self._asked else "to be asked first",
                what="allocation",
                value=granted,
            )
        return np.array(granted)

    @property
    def findings(self) -> Findings:
        """What there is to report so far: the thresholds that a search found, and knapsacks left unproved."""
        reports = Reports.blank(1, self.allocation.size)
        with interpreting():
            report(self.state, reports.counts[0], reports.thresholds[0])
        return Findings(*(None if each is None else each[0] for each in reports.findings()))
