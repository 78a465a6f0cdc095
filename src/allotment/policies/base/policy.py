"""The base class of policies: a frozen, validated description that starts learners."""

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
from allotment.markup import html_block, html_sentences, html_table
from allotment.policies.base.learner import Accepts, Learner
from allotment.randomness.streams import policy_stream
from allotment.system.memory import Memory
from allotment.tolerance import slack_of

if TYPE_CHECKING:
    from allotment.worlds.problem import Problem
    from allotment.worlds.world import World


@dataclass(frozen=True)
class Bounds:
    """The bounds on grants beside the budget, in amounts from 0 to 1."""

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
    """Everything that a policy may know before it starts.

    Parameters
    ----------
    arms : int
        The number of arms.
    budget : float
        The amount to split in each round. More than 1 for each arm has no effect.
    severities : array_like, optional
        The cost of one loss at each arm. Defaults to 1.
    horizon : int, optional
        The number of rounds to come, if it is known.
    bounds : Bounds, optional
        The bounds on grants.
    """

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
            "budget": min(nonnegative("budget", budget), float(arms)),  # no arm can get more than 1
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
    """A rule that splits the budget, described by its parameters. Equal parameters make equal policies.

    To write your own policy, make a frozen dataclass whose fields are its parameters. Validate them in
    `check`. In `state`, return the state of a learner: a NamedTuple with registered `ask` and `tell` kernels.
    docs/how-to/your-own-policy.md shows how. `check_policy` checks the result.

    Parameters
    ----------
    label : str, optional
        The name of the policy in results and figures. Defaults to the name of its family, such as "CSB-DT".
    """

    family: ClassVar[str] = ""  # the label of a policy that is given none
    use: ClassVar[str] = ""  # when to use it, in one sentence
    worlds: ClassVar[str] = "steps"  # which it is made for, in a few words; it may be tried in others

    # Parameters of earlier versions that are gone. Texts and files may still name one with a value listed
    # here, its former default or the value that switched it off. It is then ignored, with a warning.
    removed: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    if TYPE_CHECKING:  # not at run time, where a parameter without a default could not replace a property

        @property
        def situations(self) -> int:
            """The number of situations that it distinguishes. Policies that use them have a parameter."""

    else:
        situations = 1

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
        """The inputs that its learners accept beside the usual ones. `check_policy` tests it."""
        return Accepts()

    def check(self) -> None:  # noqa: B027 - most policies have nothing to check
        """Raise an InputError for parameters that cannot be used. Store normalised parameters with `keep`."""

    def keep(self, name: str, value: object) -> None:
        """Store a parameter in its normalised form. Call it in `check` only.

        Parameters
        ----------
        name : str
            The parameter.
        value : object
            Its normalised value.
        """
        object.__setattr__(self, name, value)

    @abstractmethod
    def state(self, setting: Setting) -> Any:
        """Make the state of a learner that has seen nothing yet.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and everything else that is known beforehand.

        Returns
        -------
        NamedTuple
            A state with registered `ask` and `tell` kernels.
        """

    def informed(self, setting: Setting, evidence: Evidence) -> Any:
        """Make the state of a learner that starts from evidence. Policies that accept evidence define it.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and everything else that is known beforehand.
        evidence : Evidence
            The evidence.

        Returns
        -------
        NamedTuple
            A state with registered `ask` and `tell` kernels.
        """
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
        """Start a learner, to ask for an allocation and tell the losses in every round.

        Parameters
        ----------
        arms : int
            The number of arms.
        budget : float
            The amount to split in each round.
        seed : int or numpy.random.Generator
            The seed. An integer gives the same draws as the first replication of `simulate` with this seed.
        severities : array_like, optional
            The cost of one loss at each arm. Defaults to 1.
        horizon : int, optional
            The number of rounds to come, for policies that use it.
        evidence : Evidence, optional
            Rounds and losses that are known beforehand.
        least, most : float or array_like, optional
            The smallest and largest grant of each arm, from 0 to 1.
        groups : mapping, optional
            Bounds on the sum of several arms' grants, by name: `{"north": ([0, 3, 4], least, most)}`.
        crew : float or array_like, optional
            The least amount that an arm gets if it gets anything.
        before : array_like, optional
            The previous allocation, which `moves` refers to.
        moves : float, optional
            The largest total gain over `before`.

        Returns
        -------
        Learner
            A learner that has seen the evidence and nothing else.

        Raises
        ------
        InputError
            If a value is out of range.
        NotAcceptedError
            If the policy takes no bounds, or cannot start from evidence.
        ConflictError
            If the evidence has another number of arms, or of situations than the policy distinguishes.

        Examples
        --------
        >>> from allotment.policies.csb_st import CsbSt
        >>> learner = CsbSt().start(arms=3, budget=1.5, seed=1)
        >>> learner.ask().round(3).tolist()
        [0.75, 0.75, 0.0]
        """
        stream = seed if isinstance(seed, np.random.Generator) else policy_stream(seed, replication=0)
        bounds = Bounds(least, most, groups, crew, before, moves)
        if bounds and not self.accepts.bounds:
            raise NotAcceptedError(
                f"{self.label} takes no bounds on grants (least, most, groups, crew, moves)", what="bounds"
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
                f"{self.label} cannot start from evidence, since it needs to know the order of rounds",
                what="evidence",
                value=evidence,
            )
        if evidence.arms != setting.arms:
            raise ConflictError(
                f"the evidence is of {evidence.arms} arms",
                f"evidence of {setting.arms}",
                what="evidence",
                value=evidence.arms,
            )
        self.check_kind(evidence.sees, evidence.losses, "the evidence")
        if not self.accepts.situations:
            return evidence.pooled()
        if evidence.situations != self.situations:
            raise ConflictError(
                f"the evidence distinguishes {evidence.situations} situations; {self.label} knows "
                f"{self.situations}",
                f"Evidence(..., situations={self.situations})",
                what="evidence",
                value=evidence.situations,
            )
        return evidence

    def check_world(self, world: "World") -> None:
        """Raise an error unless the policy can be simulated in a world.

        Parameters
        ----------
        world : World
            The world.

        Raises
        ------
        NotAcceptedError
            If the policy cannot take the world's losses, or distinguishes another number of situations.
        """
        self.check_kind(world.sees, world.losses, "the problem")
        if self.accepts.situations and self.situations != world.situations:
            or_none = ", or situations=1 to ignore them" if world.situations > 1 else ""
            raise NotAcceptedError(
                f"{self.label} knows {self.situations} situations; the problem has {world.situations}",
                f"situations={world.situations}{or_none}",
                what="situations",
                value=self.situations,
            )

    def check_kind(self, sees: str, losses: str, whose: str) -> None:
        """Raise an error unless the policy takes observations of a kind.

        Parameters
        ----------
        sees : {"losses", "finds"}
            What a round shows.
        losses : {"binary", "counts"}
            Whether a round has at most one loss per arm.
        whose : str
            The source of the observations, for the message.

        Raises
        ------
        NotAcceptedError
            If it does not.
        """
        if sees == "finds" and not self.accepts.finds:
            raise NotAcceptedError(f"{self.label} takes losses; {whose} has finds", what="sees", value=sees)
        told = getattr(self, "sees", sees)  # some policies have it as a parameter
        if sees != told:
            raise NotAcceptedError(
                f"{self.label} takes {told}; {whose} has {sees}", f"sees={sees}", what="sees", value=sees
            )
        if losses == "counts" and not self.accepts.counts:
            raise NotAcceptedError(
                f"{self.label} takes yes or no; {whose}'s losses are counts", what="losses", value=losses
            )

    def footprint(self, arms: int) -> Memory:
        """Estimate the memory of its learners. Policies that keep tables override it.

        Parameters
        ----------
        arms : int
            The number of arms.

        Returns
        -------
        Memory
            Bytes that learners share, and bytes of each.
        """
        return Memory(shared=0.0, each=400.0 * arms)

    @classmethod
    def name(cls) -> str:
        """The name of the policy on the command line: CsbDtUcb is csb-dt-ucb."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def for_problem(cls, problem: "World") -> Self:
        """Make the policy with default parameters and the knowledge of a problem that it needs beforehand.

        Parameters
        ----------
        problem : World
            The problem.

        Returns
        -------
        Policy
            The policy.
        """
        return cls()

    @classmethod
    def variants(cls, problem: "Problem") -> list[Self]:
        """List further parameters for `check_policy` to test, beside the defaults.

        Parameters
        ----------
        problem : Problem
            The problem of the test.

        Returns
        -------
        list of Policy
            The variants.
        """
        return []

    @classmethod
    def under_todays_names(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Translate parameters from a file of an earlier version, for policies that renamed some.

        Parameters
        ----------
        parameters : mapping
            The parameters as the file has them.

        Returns
        -------
        dict
            The parameters under the names of today.
        """
        return dict(parameters)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, without the label."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "label"}

    def __repr__(self) -> str:
        """The call that makes the policy, without default values: CsbDt(gamma=0.0001)."""
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
