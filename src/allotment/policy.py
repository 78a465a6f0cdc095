"""What a policy is: a frozen, validated description that starts learners."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from allotment.arrays import FloatArray
from allotment.checks import nonnegative, per_arm, vector, whole
from allotment.compiling import Entry
from allotment.errors import InputError
from allotment.kernels.protocol import Findings, ask, findings, tell
from allotment.streams import policy_stream
from allotment.tolerance import slack_of

if TYPE_CHECKING:
    from allotment.worlds.problem import Problem


@dataclass(frozen=True, init=False, eq=False)
class Setting:
    """What a policy may know before it starts: how many arms, the budget, what a loss costs, the horizon."""

    arms: int
    budget: float
    severities: FloatArray
    horizon: int | None

    def __init__(
        self, arms: int, budget: float, severities: ArrayLike | None = None, horizon: int | None = None
    ) -> None:
        arms = whole("arms", arms, least=1)
        costs = np.ones(arms) if severities is None else severities
        kept: dict[str, Any] = {
            "arms": arms,
            "budget": min(nonnegative("budget", budget), float(arms)),  # nobody can be granted more than 1
            "severities": vector("severities", per_arm(costs, arms), "above 0", length=arms, above=0.0),
            "horizon": None if horizon is None else whole("horizon", horizon, least=1),
        }
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def slack(self) -> float:
        """The tolerance at this budget."""
        return slack_of(self.budget)


@dataclass(frozen=True)
class Policy(ABC):
    """A way to split the budget, described by its parameters; equal parameters make equal policies.

    A subclass is a frozen dataclass whose fields are its parameters. It validates them in `check` and makes
    the state of a learner, a NamedTuple with registered `ask` and `tell` kernels, in `state`.
    """

    family: ClassVar[str] = ""  # the label of a policy that is given none
    use: ClassVar[str] = ""  # when to use it, in one sentence
    fractional_losses: ClassVar[bool] = False  # whether a loss may be anything from 0 to 1, not 0 or 1 only

    label: str = field(default="", kw_only=True)

    def __init_subclass__(cls) -> None:
        if "family" not in vars(cls):
            cls.family = cls.__name__

    def __post_init__(self) -> None:
        label = self.label or self.family
        if not isinstance(label, str):
            raise InputError.of("label", label, "a name")
        object.__setattr__(self, "label", label)
        self.check()

    @property
    def counts(self) -> bool:
        """Whether it takes counts of incidents; most policies take yes or no."""
        return False

    def check(self) -> None:  # noqa: B027 - most policies have nothing to check
        """Raise an InputError for parameters that cannot be used; `keep` normalises one."""

    def keep(self, name: str, value: object) -> None:
        """Store a parameter in its checked form; for use in `check` only."""
        object.__setattr__(self, name, value)

    @abstractmethod
    def state(self, setting: Setting) -> Any:
        """The state of a learner that has seen nothing yet."""

    def start(
        self,
        arms: int,
        budget: float,
        *,
        seed: int | np.random.Generator,
        severities: ArrayLike | None = None,
        horizon: int | None = None,
    ) -> "Learner":
        """A learner to ask and tell, round by round.

        An integer seed gives the stream of the first replication of a simulation with that seed.
        """
        stream = seed if isinstance(seed, np.random.Generator) else policy_stream(seed, replication=0)
        return Learner(self, Setting(arms, budget, severities, horizon), stream)

    @classmethod
    def name(cls) -> str:
        """The policy's name on the command line: CsbDtUcb is csb-dt-ucb."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def for_problem(cls, problem: "Problem") -> Self:
        """This policy with default parameters, told what it has to know of a problem beforehand."""
        return cls()

    @classmethod
    def variants(cls, problem: "Problem") -> list[Self]:
        """Further parameters that the contract is checked with, beside the defaults."""
        return []

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, the label left out."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "label"}


@Entry
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

    def __init__(self, policy: Policy, setting: Setting, stream: np.random.Generator) -> None:
        self.policy = policy
        self.rounds = 0
        self.state = policy.state(setting)
        self.stream = stream
        self.allocation = np.zeros(setting.arms)
        self._asked = False

    def ask(self) -> FloatArray:
        """This round's allocation; asked again before `tell`, the same."""
        if not self._asked:
            _ask_once(self.state, self.stream, self.allocation)
            self._asked = True
        return self.allocation.copy()

    def tell(self, losses: ArrayLike) -> None:
        """Say where losses were seen: 1 where there was one, 0 elsewhere; some take fractions, or counts."""
        if not self._asked:
            raise InputError("losses were told for no allocation; ask first")
        arms, counts, fractional = self.allocation.size, self.policy.counts, self.policy.fractional_losses
        expected = "that are whole" if counts else "from 0 to 1" if fractional else "0 or 1"
        most = np.inf if counts else 1.0
        seen = vector("losses", losses, expected, length=arms, least=0.0, most=most, kinds="biuf")
        odd = seen != np.floor(seen)
        if odd.any() and not fractional:
            where = int(np.flatnonzero(odd)[0])
            raise InputError.of(f"losses[{where}]", seen[where], f"numbers {expected}")
        _tell_once(self.state, self.allocation, np.array(seen))
        self._asked = False
        self.rounds += 1

    @property
    def findings(self) -> Findings:
        """What there is to report so far: the thresholds that a search found, and knapsacks left unproved."""
        return findings(self.state)
