"""What a policy is: a frozen, validated description that starts learners."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import nonnegative, per_arm, vector, whole
from allotment.errors import ConflictError, InputError, NotAcceptedError, kernels_of, shown
from allotment.evidence import Evidence
from allotment.learner import Accepts, Learner
from allotment.markup import html_block, html_sentences, html_table
from allotment.memory import Memory
from allotment.streams import policy_stream
from allotment.tolerance import slack_of

if TYPE_CHECKING:
    from allotment.worlds.problem import Problem
    from allotment.worlds.world import World


@dataclass(frozen=True)
class Bounds:
    """What may be granted, beside the budget, in amounts: floors, caps, groups, crews and moves."""

    least: ArrayLike | None = None
    most: ArrayLike | None = None
    groups: Mapping[str, Any] | None = None
    crew: ArrayLike | None = None
    before: ArrayLike | None = None
    moves: float | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, bound.name) is not None for bound in fields(self))


@dataclass(frozen=True, init=False, eq=False)
class Setting:
    """What a policy may know before it starts: arms, budget, what a loss costs, the horizon, bounds."""

    arms: int
    budget: float
    severities: FloatArray
    horizon: int | None
    bounds: Bounds

    def __init__(
        self,
        arms: int,
        budget: float,
        severities: ArrayLike | None = None,
        horizon: int | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        arms = whole("arms", arms, least=1)
        costs = np.ones(arms) if severities is None else severities
        fields: dict[str, Any] = {
            "arms": arms,
            "budget": min(nonnegative("budget", budget), float(arms)),  # nobody can be granted more than 1
            "severities": vector("severities", per_arm(costs, arms), "above 0", length=arms, above=0.0),
            "horizon": None if horizon is None else whole("horizon", horizon, least=1),
            "bounds": bounds or Bounds(),
        }
        for name, value in fields.items():
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
    worlds: ClassVar[str] = "steps"  # which it is made for, in a few words; it may be tried in others

    # Parameters of earlier versions that are gone. Texts and files may still name one with a value listed
    # here, its former default or the value that switched it off. It is then ignored, with a warning.
    removed: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    label: str = field(default="", kw_only=True)

    def __init_subclass__(cls) -> None:
        if "family" not in vars(cls):
            cls.family = cls.__name__
        if "__repr__" not in vars(cls):  # or else a dataclass would write a longer one
            cls.__repr__ = Policy.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        label = self.label or self.family
        if not isinstance(label, str):
            raise InputError.of("label", label, "a name")
        object.__setattr__(self, "label", label)
        self.check()

    @property
    def accepts(self) -> Accepts:
        """What its learners can take in beside the usual; the contract holds it to that."""
        return Accepts()

    def check(self) -> None:  # noqa: B027 - most policies have nothing to check
        """Raise an InputError for parameters that cannot be used; `keep` normalises one."""

    def keep(self, name: str, value: object) -> None:
        """Store a parameter in its checked form; for use in `check` only."""
        object.__setattr__(self, name, value)

    @abstractmethod
    def state(self, setting: Setting) -> Any:
        """The state of a learner that has seen nothing yet."""

    def informed(self, setting: Setting, evidence: Evidence) -> Any:
        """The state of a learner that knows the evidence; for policies that accept evidence and learn."""
        return self.state(setting)

    def start(
        self,
        arms: int,
        budget: float,
        *,
        seed: int | np.random.Generator,
        severities: ArrayLike | None = None,
        horizon: int | None = None,
        evidence: Evidence | None = None,
        least: ArrayLike | None = None,
        most: ArrayLike | None = None,
        groups: Mapping[str, Any] | None = None,
        crew: ArrayLike | None = None,
        before: ArrayLike | None = None,
        moves: float | None = None,
    ) -> Learner:
        """A learner to ask and tell, round by round.

        An integer seed gives the stream of the first replication of a simulation with that seed. `evidence`
        is what is known beforehand. `least`, `most`, `groups`, `crew`, `before` and `moves` bound what may be
        granted, as in `allocate`, but in amounts from 0 to 1 (`moves` may be more).
        """
        stream = seed if isinstance(seed, np.random.Generator) else policy_stream(seed, replication=0)
        bounds = Bounds(least, most, groups, crew, before, moves)
        if bounds and not self.accepts.bounds:
            raise NotAcceptedError(
                f"{self.label} takes no floors, caps, groups, crews or moves", what="bounds"
            )
        setting = Setting(arms, budget, severities, horizon, bounds)
        with kernels_of(self.label):
            if evidence is None:
                return Learner(self, self.state(setting), setting.arms, stream)
            return Learner(
                self, self.informed(setting, self._usable(evidence, setting)), setting.arms, stream
            )

    def _usable(self, evidence: Evidence, setting: Setting) -> Evidence:
        if not isinstance(evidence, Evidence):
            raise InputError.of("evidence", evidence, "Evidence")
        if not self.accepts.evidence:
            raise NotAcceptedError(
                f"{self.label} cannot start from evidence, since it learns in order",
                what="evidence",
                value=evidence,
            )
        if evidence.arms != setting.arms:
            raise ConflictError(
                f"the evidence is of {evidence.arms} arms",
                f"{setting.arms}, as many as there are",
                what="evidence",
                value=evidence.arms,
            )
        self.check_kind(evidence.sees, evidence.losses, "the evidence")
        return evidence

    def check_world(self, world: "World") -> None:
        """Raise an error unless it can be simulated in this world."""
        self.check_kind(world.sees, world.losses, "the problem")

    def check_kind(self, sees: str, losses: str, whose: str) -> None:
        """Raise an error unless it can take losses (or finds) of this kind, yes/no or counts."""
        if sees == "finds" and not self.accepts.finds:
            raise NotAcceptedError(f"{self.label} takes losses; {whose} has finds", what="sees", value=sees)
        told = getattr(self, "sees", sees)  # what it was told to expect, if that is a parameter
        if sees != told:
            raise NotAcceptedError(
                f"{self.label} takes {told}; {whose} has {sees}", f"sees={sees}", what="sees", value=sees
            )
        if losses == "counts" and not self.accepts.counts:
            raise NotAcceptedError(
                f"{self.label} takes yes or no; {whose}'s losses are counts", what="losses", value=losses
            )

    def footprint(self, arms: int) -> Memory:
        """The memory that its learners take. Policies that keep more than some numbers per arm say so."""
        return Memory(shared=0.0, each=400.0 * arms)

    @classmethod
    def name(cls) -> str:
        """The policy's name on the command line: CsbDtUcb is csb-dt-ucb."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def for_problem(cls, problem: "World") -> Self:
        """This policy with default parameters, told what it has to know of a problem beforehand."""
        return cls()

    @classmethod
    def variants(cls, problem: "Problem") -> list[Self]:
        """Further parameters that the contract is checked with, beside the defaults."""
        return []

    @classmethod
    def under_todays_names(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters from a file that an earlier version wrote; a policy that renamed some overrides this."""
        return dict(parameters)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, the label left out."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "label"}

    def __repr__(self) -> str:
        """What would make it, what is as usual left out: CsbDt(gamma=0.0001)."""
        usual = {f.name: f for f in fields(self)}
        told = [
            f"{name}={shown(value)}"
            for name, value in self.parameters().items()
            if not _is_usual(usual[name], value)
        ]
        if self.label != self.family:
            told.append(f"label={self.label!r}")
        return f"{type(self).__name__}({', '.join(told)})"

    def _repr_html_(self) -> str:
        rows = [[name, shown(value)] for name, value in self.parameters().items()]
        return html_block(
            self.label,
            html_sentences([self.use] if self.use else []),
            html_table(["parameter", "value"], rows) if rows else "",
        )


def _is_usual(parameter: Any, value: Any) -> bool:
    """Whether a field holds its default."""
    default = parameter.default
    if parameter.default_factory is not MISSING:
        default = parameter.default_factory()
    return default is not MISSING and type(default) is type(value) and bool(np.all(default == value))
