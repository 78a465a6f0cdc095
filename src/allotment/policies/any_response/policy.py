"""AnyResponse: learn whole response curves, whatever way places respond."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from allotment.checks import flag, nonnegative, one_of, positive, whole
from allotment.evidence import Evidence
from allotment.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.memory import Memory
from allotment.policies.any_response.curve_kinds import standard_sizes
from allotment.policies.any_response.family import Family
from allotment.policies.any_response.family_memory import learner_memory, own_sizes
from allotment.policies.any_response.inference import (
    checked_rates,
    checked_share,
    checked_thresholds,
    curves_given,
    curves_prior,
)
from allotment.policies.any_response.precision import Precision
from allotment.policies.any_response.rule import CurveState, curve_state
from allotment.policies.any_response.summaries import Summary, summary
from allotment.policies.any_response.tuning import (
    CURIOSITY_BY_UNIT,
    DRAWS,
    FREE,
    LEAST_CURIOSITY,
    LEFT_ALONE,
    LIKENESS,
    OPENING_BY_UNIT,
    SCARCE,
    SHORTEST_OPENING,
    SIMULATING,
)
from allotment.policy import Policy, Setting
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Exponential, Response, Step
from allotment.worlds.units import full_units
from allotment.worlds.world import KINDS, SEES


@dataclass(frozen=True)
class AnyResponse(Policy):
    """Draw each arm's response curve and loss rate from their posterior, and share out the budget over them.

    An arm's curve is one of a family (steps, lines, exponential and logistic curves, each with several leaks,
    or a flat one), or, with prior weight `free`, none of them: then every amount has a rate of its own, or,
    once an arm was seen for long, every stair of some. Each round averages `draws` curves per arm
    (stairs: one), and `allocate` gives every arm the whole units at which they prevent most together. A draw
    of a rate that is `optimistic` errs on the side where it is found out: where losses are seen it is at most
    what is expected, since an arm that is left alone shows its rate.

    Until `opening` times the budget was granted, nothing is drawn: an amount counts by what it is expected to
    prevent and by what it tells of the curve. A nat counts `curiosity` times as much as the largest amount
    that the arm may get is expected to prevent. The more units a full grant has, the more there is to find
    out: unless given, the opening is twice as many budgets as that, at least 10, and curiosity a fourth of
    it, at least 2. Unless given, two draws are averaged. Of an arm of which fewer than ten events were seen,
    five are, unless `draws` is 1.

    An arm that is granted the same for long shows its losses there, and hardly its curve. Where losses are
    seen, an arm that was seen for n rounds, 5000 at least, is left alone with chance `left_alone`/n, but only
    if a single draw would grant it another amount; if it is left alone anyway, it is granted that amount.

    `unit` is the smallest amount worth granting; 1/unit is whole. Amounts count as the whole units that they
    contain. How common each kind of curve is, is learnt from all arms together; the prior counts as much as
    `likeness` arms (None: every arm is for itself). `rates` is the prior of loss rates: (α, β) of a Beta, or
    (a, b) of a Gamma for counts. `half_life`, in rounds, is for worlds that drift: evidence counts half after
    so many rounds; the prior does not age. `thresholds` are those that are known, None elsewhere; such an arm
    may still leak. `curves`: pairs of a response and its weight, instead of the standard family.

    No regret bound is proved for it; docs/any-response.md is the method in full.
    """

    family = "AnyResponse"
    use = "When nobody knows how places respond: cover may leak, be gradual or fail."
    worlds = "any; losses, counts or finds"

    unit: float = 0.05
    sees: str = "losses"
    losses: str = "binary"
    half_life: float | None = None
    draws: int | None = None
    optimistic: bool = True
    opening: int | None = None
    curiosity: float | None = None
    left_alone: float = LEFT_ALONE
    likeness: float | None = LIKENESS
    free: float = FREE
    rates: Sequence[float] | None = None
    thresholds: Sequence[float | None] | None = None
    curves: Sequence[tuple[Response, float]] | None = None

    def check(self) -> None:
        """Check the parameters."""
        self.keep("unit", 1.0 / full_units(self.unit))
        one_of("sees", self.sees, SEES)
        one_of("losses", self.losses, KINDS)
        if self.half_life is not None:
            self.keep("half_life", positive("half_life", self.half_life))
        if self.draws is not None:
            self.keep("draws", whole("draws", self.draws, least=1))
        self.keep("optimistic", flag("optimistic", self.optimistic))
        if self.opening is not None:
            self.keep("opening", whole("opening", self.opening, least=0))
        if self.curiosity is not None:
            self.keep("curiosity", nonnegative("curiosity", self.curiosity))
        self.keep("left_alone", nonnegative("left_alone", self.left_alone))
        if self.likeness is not None:
            self.keep("likeness", positive("likeness", self.likeness))
        self.keep("free", checked_share(self.free))
        if self.rates is not None:
            self.keep("rates", checked_rates(self.rates, self.losses))
        self.keep("thresholds", checked_thresholds(self.thresholds))
        if self.curves is not None:
            self.keep("curves", tuple((each, weight) for each, weight in self.curves))
            self._family()

    def _family(self) -> Family:
        units = full_units(self.unit)
        return Family.standard(units) if self.curves is None else Family.of(self.curves, units)

    @property
    def accepts(self) -> Accepts:
        """Whatever was granted and seen, in any order unless evidence ages; bounds too."""
        told = LEARNS_FROM_EVIDENCE | Accepts(
            counts=self.losses == "counts", finds=self.sees == "finds", bounds=True
        )
        return replace(told, any_order=self.half_life is None)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """Counts, and a family of one's own that ages."""
        own = [(Step(0.5, 0.1), 1.0), (Exponential(0.2), 1.0)]
        aging = cls(unit=0.5, curves=own, half_life=40, free=0.0, likeness=None, draws=1, optimistic=False)
        return [cls(unit=0.25, losses="counts"), aging]

    def footprint(self, arms: int) -> Memory:
        """What its learners take: tables of curves, and weights over curves and loss rates for every arm."""
        units = full_units(self.unit)
        sizes = standard_sizes(units) if self.curves is None else own_sizes(len(self.curves))
        counts, finds = self.losses == "counts", self.sees == "finds"
        return learner_memory(sizes, units, arms, counts=counts, finds=finds)

    def state(self, setting: Setting) -> "CurveState":
        """Make the state."""
        return self.informed(setting, Evidence(setting.arms, sees=self.sees, losses=self.losses))

    def informed(
        self, setting: Setting, evidence: Evidence, precision: Precision = SIMULATING
    ) -> "CurveState":
        """Make the state of a learner that knows the evidence."""
        units = full_units(self.unit)
        prior = curves_prior(
            self._family(),
            setting.arms,
            sees=self.sees,
            rates=checked_rates(self.rates, self.losses),
            free=self.free,
            thresholds=self.thresholds,
            precision=precision,
            keep=1.0 if self.half_life is None else 0.5 ** (1.0 / self.half_life),
        )
        return curve_state(
            setting,
            curves_given(prior, evidence, precision.nodes),
            draws=DRAWS if self.draws is None else self.draws,
            scarce=SCARCE,
            optimistic=self.optimistic,
            opening=max(SHORTEST_OPENING, OPENING_BY_UNIT * units) if self.opening is None else self.opening,
            curiosity=max(LEAST_CURIOSITY, CURIOSITY_BY_UNIT * units)
            if self.curiosity is None
            else self.curiosity,
            left_alone=self.left_alone,
            likeness=self.likeness,
        )

    def summary(self, state: "CurveState") -> Summary:
        """What a learner of this policy expects of a round, by arm and amount."""
        return summary(state.beliefs, state.sketch, state.likeness, self._family())
