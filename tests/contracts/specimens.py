"""Policies that each break the contract in one way; the checks must reject every one of them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.kernels.protocol import ask, enter, tell
from allotment.policies.base.learner import Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.policies.equal_split import EqualSplit


class Fixed(NamedTuple):
    """State of the specimens: some numbers."""

    numbers: FloatArray


@tell.register
def _tell(state: Fixed, allocation, losses) -> None:
    state.numbers[1] += 1.0


@ask.register
def _ask(state: Fixed, rng: Any, allocation: FloatArray) -> None:
    allocation[:] = state.numbers[0]


@dataclass(frozen=True)
class Overspender(Policy):
    """Grants everyone a little more than an equal share."""

    def state(self, setting: Setting) -> Fixed:
        return Fixed(np.array([min(1.0, setting.budget / setting.arms * 1.000001), 0.0]))


@dataclass(frozen=True)
class TooGenerous(Policy):
    """Grants one arm all of a budget that is larger than 1."""

    def state(self, setting: Setting) -> "OneArm":
        return OneArm(setting.budget)


class OneArm(NamedTuple):
    budget: float


@ask.register
def _ask_one(state: OneArm, rng, allocation) -> None:
    allocation[:] = 0.0
    allocation[0] = state.budget


@tell.register
def _tell_one(state: OneArm, allocation, losses) -> None:
    pass


@dataclass(frozen=True)
class Returner(Policy):
    """Returns its allocation instead of writing it, and so grants nothing."""

    def state(self, setting: Setting) -> "Returned":
        return Returned(np.full(setting.arms, min(1.0, setting.budget / setting.arms)))


class Returned(NamedTuple):
    shares: FloatArray


@ask.register
def _ask_returned(state: Returned, rng, allocation):
    return state.shares


@tell.register
def _tell_returned(state: Returned, allocation, losses) -> None:
    pass


@dataclass(frozen=True)
class HiddenDice(Policy):
    """Draws from a generator of its own instead of the one that is handed in."""

    def state(self, setting: Setting) -> "Dice":
        return Dice(setting.budget / setting.arms)


class Dice(NamedTuple):
    share: float


@ask.register
def _ask_dice(state: Dice, rng, allocation) -> None:
    allocation[:] = min(1.0, state.share) * np.random.random()  # noqa: NPY002


@tell.register
def _tell_dice(state: Dice, allocation, losses) -> None:
    pass


@dataclass(frozen=True)
class SharedMemory(Policy):
    """Keeps what it has learnt in the description, so that the next learner starts where this one ended."""

    def state(self, setting: Setting) -> "Memory":
        return Memory(MEMORY, setting.budget / setting.arms)


MEMORY = np.zeros(1)


class Memory(NamedTuple):
    rounds: FloatArray
    share: float


@ask.register
def _ask_memory(state: Memory, rng, allocation) -> None:
    allocation[:] = min(1.0, state.share) / (1.0 + state.rounds[0])


@tell.register
def _tell_memory(state: Memory, allocation, losses) -> None:
    state.rounds[0] += 1.0


@dataclass(frozen=True)
class CompiledOnly(Policy):
    """Counts on 64-bit integers running over, which plain Python's do not."""

    def state(self, setting: Setting) -> "Wide":
        return Wide(2**62, setting.budget / setting.arms)


class Wide(NamedTuple):
    number: int
    share: float


@ask.register
def _ask_wide(state: Wide, rng, allocation) -> None:
    allocation[:] = 0.0 if state.number << 2 == 0 else min(1.0, state.share)


@tell.register
def _tell_wide(state: Wide, allocation, losses) -> None:
    pass


@dataclass(frozen=True)
class InteractivelyOther(EqualSplit):
    """Starts learners that answer otherwise than the kernels that the simulator runs."""

    def start(self, arms, budget, **options):
        learner = super().start(arms, budget, **options)
        kernels = learner.ask
        learner.ask = lambda situation=0: kernels(situation) / 2
        return learner


class Incomparable(EqualSplit):
    """Equal parameters do not make equal policies."""

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


class Changeable(EqualSplit):
    """Can be changed after it was made."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Forgetful(EqualSplit):
    """Has a parameter that its description leaves out."""

    patience: int = 1

    def parameters(self):
        return {}


@dataclass(frozen=True)
class Gullible(EqualSplit):
    """Takes any number of arms and any budget."""

    def start(self, arms, budget, **options):
        return EqualSplit().start(3, 1.0, **options)


@dataclass(frozen=True)
class HomeBound(EqualSplit):
    """Only runs in the process that it was made in."""

    def state(self, setting: Setting) -> Any:
        import sys

        if "pytest" not in sys.modules:
            raise RuntimeError("this is not home")
        return super().state(setting)


class Notes(NamedTuple):
    """State of the specimens that learn wrongly: what they remember, and what `ask` leaves behind."""

    share: float
    seen: FloatArray  # one number
    pocket: FloatArray
    kind: int


POCKETED, LEARNS_IN_ORDER, COUNTS_TELLS, LEARNS = range(4)


@ask.register
def _ask_notes(state: Notes, rng: Any, allocation: FloatArray) -> None:
    for i in range(allocation.size):
        allocation[i] = state.share * (1.0 + state.seen[0] % 7.0) / 8.0
        state.pocket[i] = allocation[i]


@tell.register
def _tell_notes(state: Notes, allocation: FloatArray, losses: FloatArray) -> None:
    if state.kind == COUNTS_TELLS:
        state.seen[0] += 1.0
    for i in range(losses.size):
        if losses[i] != losses[i]:
            continue
        if state.kind == POCKETED:
            state.seen[0] += 1.0 if state.pocket[i] > 0.0 else 0.0
        elif state.kind == LEARNS_IN_ORDER:
            state.seen[0] = (3.0 * state.seen[0] + losses[i]) % 97.0
        elif state.kind == LEARNS:
            state.seen[0] += losses[i]


@dataclass(frozen=True)
class Learning(Policy):
    """Learns as its kind says, and claims to learn from evidence."""

    kind: int = LEARNS

    @property
    def accepts(self):
        return Accepts(any_amounts=True, partial_reports=True, any_order=True)

    def state(self, setting: Setting) -> Notes:
        return Notes(setting.budget / setting.arms, np.zeros(1), np.zeros(setting.arms), self.kind)


class Habits(NamedTuple):
    """State of the specimens that misuse situations: the losses so far, and the present situation."""

    share: float
    seen: FloatArray  # one number
    present: FloatArray  # one number
    decides: bool  # by situation


@enter.register
def _enter_habits(state: Habits, situation: int) -> None:
    state.present[0] = situation


@ask.register
def _ask_habits(state: Habits, rng: Any, allocation: FloatArray) -> None:
    present = state.present[0] if state.decides else 0.0
    for i in range(allocation.size):
        allocation[i] = state.share * (1.0 + (state.seen[0] + present) % 7.0) / 8.0


@tell.register
def _tell_habits(state: Habits, allocation: FloatArray, losses: FloatArray) -> None:
    for i in range(losses.size):
        state.seen[0] += losses[i]


@dataclass(frozen=True)
class Habitual(Policy):
    """Has an enter kernel that nobody calls, since it declares no situations."""

    def state(self, setting: Setting) -> Habits:
        return Habits(setting.budget / setting.arms, np.zeros(1), np.zeros(1), True)


@dataclass(frozen=True)
class Undeclared(Habitual):
    """Has situations as a parameter, and does not declare them."""

    situations: int = 2


@dataclass(frozen=True)
class Muddled(Undeclared):
    """Decides by situation, and learns for all situations alike."""

    @property
    def accepts(self):
        return Accepts(situations=True)


@dataclass(frozen=True)
class Blind(Muddled):
    """Decides without regard to the situation."""

    def state(self, setting: Setting) -> Habits:
        return super().state(setting)._replace(decides=False)


@dataclass(frozen=True)
class Telepath(EqualSplit):
    """Declares no situations, and starts learners that decide by them."""

    def start(self, arms, budget, **options):
        learner = super().start(arms, budget, **options)
        kernels = learner.ask
        learner.ask = lambda situation=0: kernels(situation) / (1 + situation)
        return learner


@dataclass(frozen=True)
class Deaf(Learning):
    """Claims to start from evidence, and does not listen."""

    @property
    def accepts(self):
        return super().accepts | Accepts(evidence=True)


@dataclass(frozen=True)
class Boundless(EqualSplit):
    """Says that it keeps bounds, and does not."""

    @property
    def accepts(self):
        return super().accepts | Accepts(bounds=True)


@dataclass(frozen=True)
class Greedy(EqualSplit):
    """Takes evidence that it does not say it takes."""

    @property
    def accepts(self):
        return Accepts()

    def start(self, arms, budget, *, seed, evidence=None, least=None, **options):
        return super().start(arms, budget, seed=seed, **options)
