"""Learners: the state of a policy in use, with `ask` and `tell`, and the inputs that learners may accept."""

from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import LARGEST_COUNT, vector, whole
from allotment.compiling.decorators import Entry
from allotment.compiling.switches import interpreting
from allotment.errors import BeliefError, InputError, NotAcceptedError, kernels_of, shown
from allotment.kernels.protocol import (
    Findings,
    Reports,
    ask,
    ask_in_python_seconds,
    enter,
    is_sound,
    ready_for,
    report,
    tell,
)
from allotment.randomness.bits import sow_all


@dataclass(frozen=True)
class Accepts:
    """The inputs that a learner accepts beside complete yes/no reports, in order, of the grants it asked for.

    Attributes
    ----------
    any_amounts : bool
        Other grants than it asked for, and reports without asking.
    partial_reports : bool
        NaN for an arm without a report.
    any_order : bool
        Late reports.
    counts : bool
        Several losses of an arm in one round.
    fractional_losses : bool
        Losses between 0 and 1.
    finds : bool
        Incidents that grants prevented, instead of losses.
    evidence : bool
        Evidence to start from.
    bounds : bool
        Bounds on grants: least, most, groups, crews and moves.
    situations : bool
        The situation of a round, to decide by and to learn for.
    """

    any_amounts: bool = False
    partial_reports: bool = False
    any_order: bool = False
    counts: bool = False
    fractional_losses: bool = False
    finds: bool = False
    evidence: bool = False
    bounds: bool = False
    situations: bool = False

    def __or__(self, other: "Accepts") -> "Accepts":
        return Accepts(*(mine or others for mine, others in zip(astuple(self), astuple(other), strict=True)))


LEARNS_FROM_EVIDENCE = Accepts(any_amounts=True, partial_reports=True, any_order=True, evidence=True)
LEARNS_NOTHING = LEARNS_FROM_EVIDENCE | Accepts(counts=True, fractional_losses=True, finds=True)


@partial(Entry, python_seconds=lambda state, *_: ask_in_python_seconds(state))
def _ask_once(state, rng, allocation, situation):  # type: ignore[no-untyped-def]
    enter(state, situation)
    if not is_sound(state):
        return False
    ask(state, rng, allocation)
    return True


@Entry
def _tell_once(state, allocation, losses, situation):  # type: ignore[no-untyped-def]
    enter(state, situation)
    tell(state, allocation, losses)


def unsound(label: str, when: str) -> BeliefError:
    """The error for beliefs that are not finite."""
    return BeliefError(
        f"{label} cannot go on: {when}, its beliefs are not finite",
        f"losses of at most {LARGEST_COUNT:.0e} a round; find larger ones, and start a learner without them",
    )


class Learner:
    """A policy in use: ask for an allocation, then tell the losses, round by round.

    `Policy.start` makes it. Its answers depend on the policy, arms, budget, seed and history alone.

    Attributes
    ----------
    policy : Policy
        The policy.
    state : NamedTuple
        The state of its kernels.
    stream : numpy.random.Generator
        The random stream.
    rounds : int
        The number of rounds told so far.
    allocation : FloatArray
        The last allocation.

    Examples
    --------
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
        self.stream = stream  # the setter also seeds the generators in the state
        self.allocation = np.zeros(arms)
        self._asked: int | None = None  # the situation that was asked for, until its losses are told

    @property
    def stream(self) -> np.random.Generator:
        """The random stream."""
        return self._stream

    @stream.setter
    def stream(self, stream: np.random.Generator) -> None:
        self._stream = stream
        sow_all(self.state, stream)

    def ask(self, situation: int = 0) -> FloatArray:
        """Get this round's allocation. Asking again before `tell` gives the same answer.

        Parameters
        ----------
        situation : int
            The situation of the round, counted from 0. Policies that know no situations ignore it.

        Returns
        -------
        FloatArray
            The grant of each arm.

        Raises
        ------
        InputError
            If the policy knows no such situation, or the losses of another situation are still to be told.
        BeliefError
            If the beliefs of the policy are not finite.
        """
        situation = self._checked_situation(situation)
        if self._asked is None:
            with kernels_of(self.policy.label):
                sound = _ask_once(self.state, self.stream, self.allocation, self._distinguished(situation))
            if not sound:
                raise unsound(self.policy.label, f"after {self.rounds} rounds")
            self._asked = situation
        return self.allocation.copy()

    def tell(
        self, losses: ArrayLike, allocation: ArrayLike | None = None, situation: int | None = None
    ) -> None:
        """Report the losses of a round.

        Parameters
        ----------
        losses : array_like
            1 for each arm with a loss and 0 for the others; NaN where nobody reported. Some policies also
            accept counts, or fractions.
        allocation : array_like, optional
            The grants of the round, if they differ from the grants asked for. They may exceed the budget.
        situation : int, optional
            The situation of a round that was not asked for. Defaults to the situation that was asked for, or
            else to 0.

        Raises
        ------
        InputError
            If the losses are not numbers of the expected kind, `ask` was not called and no allocation is
            given, or another situation was asked for.
        NotAcceptedError
            If the policy does not accept such a report. `Policy.accepts` lists what it accepts.
        """
        seen, granted = self._checked_losses(losses), self._checked_amounts(allocation)
        entered = self._checked_situation((self._asked or 0) if situation is None else situation)
        if allocation is not None:
            self.state = ready_for(self.state, granted)
        with kernels_of(self.policy.label):
            _tell_once(self.state, granted, seen, self._distinguished(entered))
        self._asked = None
        self.rounds += 1

    def _checked_situation(self, situation: int) -> int:
        known, label = self.policy.situations, self.policy.label
        situation = whole("situation", situation, least=0)
        if self.policy.accepts.situations and situation >= known:
            raise InputError.of("situation", situation, f"less than {known}, the number that {label} knows")
        if self._asked is not None and situation != self._asked:
            raise InputError.of("situation", situation, f"{self._asked}, whose losses are still to be told")
        return situation

    def _distinguished(self, situation: int) -> int:
        return situation if self.policy.accepts.situations else 0

    def _checked_losses(self, losses: ArrayLike) -> FloatArray:
        accepts, label = self.policy.accepts, self.policy.label
        expected = f"that are whole and at most {LARGEST_COUNT:.0e}" if accepts.counts else "from 0 to 1"
        if not (accepts.counts or accepts.fractional_losses):
            expected = "0 or 1"
        most = LARGEST_COUNT if accepts.counts else 1.0
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
            if self._asked is None:
                raise InputError("losses without an allocation; call ask first, or give allocation=")
            return self.allocation
        arms, label = self.allocation.size, self.policy.label
        granted = vector("allocation", allocation, "between 0 and 1", length=arms, least=0.0, most=1.0)
        if not self.policy.accepts.any_amounts and not (
            self._asked is not None and np.array_equal(granted, self.allocation)
        ):
            raise NotAcceptedError(
                f"{label} learns only from the grants that it asked for; allocation is {shown(granted)}",
                f"{shown(self.allocation)}" if self._asked is not None else "to be asked first",
                what="allocation",
                value=granted,
            )
        return np.array(granted)

    @property
    def findings(self) -> Findings:
        """The results of the policy so far: thresholds that a search found, and knapsacks left unproved."""
        reports = Reports.blank(1, self.allocation.size)
        with interpreting():
            report(self.state, reports.counts[0], reports.thresholds[0])
        return Findings(*(None if each is None else each[0] for each in reports.findings()))
