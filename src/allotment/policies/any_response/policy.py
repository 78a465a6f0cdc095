"""AnyResponse: learn whole response curves, whatever way places respond."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import flag, nonnegative, one_of, positive, whole
from allotment.evidence import Evidence
from allotment.policies._posterior_sampling import PosteriorSampling, PriorRound
from allotment.policies._whole_units import largest_units
from allotment.policies.any_response.bench import learner_memory, own_sizes
from allotment.policies.any_response.curve_kinds import standard_sizes
from allotment.policies.any_response.draws import new_sketch
from allotment.policies.any_response.family import COARSE, Curves, Family, may_be_capped
from allotment.policies.any_response.inference import (
    Rates,
    checked_rates,
    checked_share,
    checked_thresholds,
    curves_given,
    curves_prior,
    situated_given,
)
from allotment.policies.any_response.listed_rates import are_listed, equally_likely, refuse_listed
from allotment.policies.any_response.precision import Precision
from allotment.policies.any_response.prior_worlds import curve_chances, drawn_world, mean_squares
from allotment.policies.any_response.rule import CurveState, curve_state
from allotment.policies.any_response.situations.now import readable
from allotment.policies.any_response.situations.rule import SituatedState, situated_state
from allotment.policies.any_response.summaries import Summary, summary
from allotment.policies.any_response.tuning import (
    CURIOSITY_BY_UNIT,
    DRAWS,
    FREE,
    LEAST_CURIOSITY,
    LEFT_ALONE,
    LIKENESS,
    LISTED_RATES,
    LISTED_ROUNDING,
    OPENING_BY_UNIT,
    READ_LIKENESS,
    SCARCE,
    SCARCE_ELSEWHERE,
    SHORTEST_OPENING,
    SIMULATING,
)
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.system.memory import Memory
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Exponential, Step
from allotment.worlds.units import full_units
from allotment.worlds.world import KINDS, SEES


@dataclass(frozen=True)
class AnyResponse(Policy, PosteriorSampling):
    """Draw each arm's response curve and loss rate from their posterior, and share out the budget.

    An arm's curve is one of a family: steps, lines, exponential and logistic curves, each with several leaks,
    and a flat curve. If finds are counted, it may also be that every unit finds one incident at most. With
    prior weight `free`, it is none of them, and every amount has its own rate. After many rounds,
    neighbouring amounts of such an arm share a rate, as the steps of stairs do.

    Each round averages a few drawn curves of every arm. `allocate` then finds the whole units that prevent
    most losses together. In the opening, nothing is drawn: an amount counts by its expected effect and by
    what it reveals about the curve.

    An arm that gets the same grant for long hardly reveals its curve. After 5000 rounds, it therefore gets
    nothing with probability `left_alone`/n in its n-th round, if a single draw disagrees with its grant. If
    the arm would have received nothing, it gets the drawn amount instead.

    No regret bound is proved, except for `AnyResponse.plain()`, which draws once from an exact posterior
    (docs/explanation/bayesian-regret.md). docs/explanation/any-response.md has the method in full.

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number. A fraction of a unit has no effect.
    sees : {"losses", "finds"}
        What a round shows.
    losses : {"binary", "counts"}
        Whether a round has at most one loss per arm.
    half_life : float, optional
        The number of rounds after which evidence counts half, for worlds that drift. The prior does not age.
    draws : int, optional
        The number of drawn curves to average. By default 2, and 5 for an arm with few events: fewer than 20,
        for finds or counts 200.
    optimistic : bool
        Let a drawn rate err only on the side on which errors show: for losses, at most its expectation.
    opening : int, optional
        The opening lasts until this many budgets were granted. By default twice the units of a full grant, at
        least 10.
    curiosity : float, optional
        In the opening, a nat of information is worth this many times the largest effect of the arm. By
        default a fourth of the units of a full grant, at least 2.
    left_alone : float
        How often an arm gets nothing in order to learn; see above.
    likeness : float or None
        All arms together teach how common each kind of curve is; the prior counts as this many arms. In
        numbers for people it counts as at least 3 arms. None: every arm learns on its own.
    free : float
        The prior probability that an arm's curve is none of the family.
    rates : (float, float) or sequence of (float, float), optional
        The prior of loss rates: (α, β) of a Beta, (a, b) of a Gamma for counts, or pairs of rate and weight.
        By default (0.5, 1), for counts (0.5, 0.5), and for counted finds (0.3, 0.05).
    situations : int
        The number of situations, such as weekday and weekend. An arm has a loss rate in each. Arms teach
        whether its rates and its curve have something in common over situations.
    thresholds : sequence of float or None, optional
        Known thresholds, None for unknown ones. An arm with a known threshold may still leak.
    curves : "coarse" or sequence of (Response, float), optional
        A family of responses with weights instead of the standard family. "coarse": without its finer curves.
    label : str, optional
        The name of the policy in results and figures.

    Examples
    --------
    >>> learner = AnyResponse(unit=0.25).start(arms=2, budget=1.0, seed=1)
    >>> bool(learner.ask().sum() <= 1.0 + 1e-12)
    True
    """

    family = "AnyResponse"
    use = "When nobody knows how places respond: cover may leak, be gradual or fail."
    worlds = "any; losses, counts or finds"
    plain_switches = MappingProxyType(
        {
            "half_life": None,
            "draws": 1,
            "optimistic": False,
            "opening": 0,
            "left_alone": 0.0,
            "likeness": None,
            "free": 0.0,
            "situations": 1,
        }
    )

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
    rates: Rates | None = None
    thresholds: Sequence[float | None] | None = None
    curves: Curves | None = None
    situations: int = 1

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
            self.keep("rates", checked_rates(self.rates, self.losses, self.sees))
        self.keep("thresholds", checked_thresholds(self.thresholds))
        self.keep("situations", whole("situations", self.situations, least=1))
        refuse_listed(self.rates, self.situations)
        if self.curves is not None:
            if not isinstance(self.curves, str):
                self.keep("curves", tuple((each, weight) for each, weight in self.curves))
            self._family()

    @classmethod
    def plain(cls, **parameters: Any) -> Self:
        """Plain posterior sampling, with an exact posterior: coarse curves, and rates that are listed."""
        rates, losses = parameters.pop("rates", None), parameters.get("losses", "binary")
        if losses == "binary" and not are_listed(rates):
            rates = equally_likely(
                cast(tuple[float, float], checked_rates(rates, losses, "losses")), LISTED_RATES
            )
        return super().plain(**{"curves": COARSE, "rates": rates} | parameters)

    def departure(self) -> str:
        """What keeps its draws from being exact draws of the posterior; empty if nothing does."""
        if self.curves is None:
            return "curves=None puts finer curves in the place of coarse ones as evidence comes in"
        if self.losses == "binary" and not are_listed(self.rates):
            return "rates are no list of rates with weights, so the posterior is computed approximately"
        return super().departure()

    def draw_arms(self, arms: int, budget: float, rng: np.random.Generator) -> dict[str, Any]:
        """Arms drawn from the prior, as keywords of `Problem`."""
        self.need(free=0.0, likeness=None)
        if self.curves is None:
            self.need(curves=COARSE)
        chances, rates = self._chances(arms), checked_rates(self.rates, self.losses, self.sees)
        drawn = drawn_world(self._family(), chances, rates, self.losses, rng)
        return drawn | {"unit": self.unit, "sees": self.sees}

    def prior_round(self, setting: Setting) -> PriorRound:
        """What the prior says about a round."""
        amounts = 1 + largest_units(setting, full_units(self.unit))
        rates = checked_rates(self.rates, self.losses, self.sees)
        squares = mean_squares(self._family(), self._chances(setting.arms), rates, self.losses)
        if self.sees == "finds":
            squares[:] = np.inf
        squares[np.arange(squares.shape[1]) >= amounts[:, np.newaxis]] = 0.0
        rounding = LISTED_ROUNDING * setting.arms
        return PriorRound(amounts, self.losses == "binary", squares, searched=None, rounding=rounding)

    def _chances(self, arms: int) -> FloatArray:
        """Arms x curves: the prior chance of every curve."""
        family, known = self._family(), checked_thresholds(self.thresholds, arms)
        return curve_chances(family, family.for_arms(arms, known, full_units(self.unit)))

    @property
    def _capped(self) -> bool:
        return may_be_capped(self.losses, self.sees, self.situations)

    def _family(self) -> Family:
        return Family.named(self.curves, full_units(self.unit), capped=self._capped)

    @property
    def accepts(self) -> Accepts:
        """Whatever was granted and seen, in any order unless evidence ages; bounds too."""
        told = LEARNS_FROM_EVIDENCE | Accepts(
            counts=self.losses == "counts",
            finds=self.sees == "finds",
            bounds=True,
            situations=self.situations > 1,
        )
        return replace(told, any_order=self.half_life is None)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """Counts, a family of one's own that ages, plain posterior sampling, and two situations."""
        own = [(Step(0.5, 0.1), 1.0), (Exponential(0.2), 1.0)]
        exact = cls.plain(unit=0.25)
        aging = cls(unit=0.5, curves=own, half_life=40, free=0.0, likeness=None, draws=1, optimistic=False)
        return [cls(unit=0.25, losses="counts"), aging, exact, cls(unit=0.25, situations=2)]

    def footprint(self, arms: int) -> Memory:
        """What its learners take: tables of curves, and weights over curves and loss rates for every arm."""
        units = full_units(self.unit)
        sizes = standard_sizes(units, self._capped)
        if self.curves is not None:
            own = standard_sizes(units).coarse if isinstance(self.curves, str) else len(self.curves)
            sizes = own_sizes(own)
        nodes = len(self.rates) if self.rates is not None and are_listed(self.rates) else SIMULATING.nodes
        counts, finds = self.losses == "counts", self.sees == "finds"
        return learner_memory(
            sizes, units, arms, counts=counts, finds=finds, nodes=nodes, situations=self.situations
        )

    def state(self, setting: Setting) -> "CurveState | SituatedState":
        """Make the state."""
        nothing = Evidence(setting.arms, sees=self.sees, losses=self.losses, situations=self.situations)
        return self.informed(setting, nothing)

    def informed(
        self, setting: Setting, evidence: Evidence, precision: Precision = SIMULATING
    ) -> "CurveState | SituatedState":
        """Make the state of a learner that knows the evidence."""
        units = full_units(self.unit)
        if self.losses == "counts" or not self.departure():
            # However unlikely a curve is, it may be drawn, and one high count can make it likely.
            precision = precision._replace(cut=math.inf)
        prior = curves_prior(
            self._family(),
            setting.arms,
            sees=self.sees,
            rates=checked_rates(self.rates, self.losses, self.sees),
            free=self.free,
            thresholds=self.thresholds,
            precision=precision,
            keep=1.0 if self.half_life is None else 0.5 ** (1.0 / self.half_life),
            counts=self.losses == "counts",
        )
        several, nodes = self.situations > 1, precision.nodes
        scarce = SCARCE if self.losses == "binary" and self.sees == "losses" else SCARCE_ELSEWHERE
        state = curve_state(
            setting,
            situated_given(prior, evidence, nodes, self.likeness)
            if several
            else curves_given(prior, evidence, nodes),
            draws=DRAWS if self.draws is None else self.draws,
            scarce=scarce / units,
            optimistic=self.optimistic,
            opening=max(SHORTEST_OPENING, OPENING_BY_UNIT * units) if self.opening is None else self.opening,
            curiosity=max(LEAST_CURIOSITY, CURIOSITY_BY_UNIT * units)
            if self.curiosity is None
            else self.curiosity,
            left_alone=self.left_alone,
            likeness=self.likeness,
        )
        return situated_state(state) if several else state

    def summary(self, state: "CurveState | SituatedState") -> Summary:
        """Compute the expected losses of a round, by arm and amount, in the situation that was entered.

        Parameters
        ----------
        state : CurveState
            The state of a learner of this policy.

        Returns
        -------
        Summary
            The expectations.
        """
        beliefs, likeness = state.beliefs, max(state.likeness, READ_LIKENESS)
        sketch, counts = new_sketch(beliefs.prior), self.losses == "counts"
        return summary(readable(beliefs), sketch, likeness, self._family(), counts=counts)
