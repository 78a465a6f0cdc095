"""The posterior of whole response curves, for every arm. `beliefs.py` has the formulas."""

import math
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import number, open_unit, positive, whole
from allotment.compiling.decorators import Entry
from allotment.errors import InputError
from allotment.evidence import Evidence
from allotment.markup import html_block, html_table
from allotment.plots.bands import Band, BandPanel, draw_bands
from allotment.plots.figures import small_picture
from allotment.policies.any_response.beliefs import Prior
from allotment.policies.any_response.draws import new_sketch
from allotment.policies.any_response.family import (
    FLAT,
    GRADUAL,
    OTHER,
    STEP,
    Curves,
    Family,
    may_be_capped,
)
from allotment.policies.any_response.inference import (
    Rates,
    checked_rates,
    checked_share,
    curves_given,
    curves_prior,
    situated_given,
)
from allotment.policies.any_response.listed_rates import refuse_listed
from allotment.policies.any_response.situations.beliefs import IN_COMMON
from allotment.policies.any_response.situations.now import readable
from allotment.policies.any_response.summaries import draw_losses, summary
from allotment.policies.any_response.tuning import FREE, READ_LIKENESS, READING
from allotment.randomness.bits import sow
from allotment.tolerance import EVIDENCE_SLACK
from allotment.worlds.units import full_units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BAND_DRAWS = 2000
NOTICED = 0.01  # of the losses: what prevents less does not help
SUDDEN = 0.95  # of what a full grant prevents: if one unit prevents this much, people see a step
PANELS, SHOWN = 12, 60  # arms in a picture and in a table, unless it is said which
WORDS = {GRADUAL: "gradual", FLAT: "nothing helps", OTHER: "some other curve"}


@partial(Entry, python_seconds=lambda *given: 1e-4 * given[-1].shape[0] * given[-1].shape[1])
def _draw_losses(curves: Any, sketch: Any, likeness: float, finds: bool, out: Any) -> None:
    draw_losses(curves, sketch, likeness, finds, out)


class ResponsePosterior:
    """The posterior of every arm's response curve and loss rate.

    AnyResponse decides by the same posterior, but lets arms teach each other more: its own `likeness` is 0.4.

    Parameters
    ----------
    evidence : Evidence
        The evidence.
    unit : float
        The smallest amount worth granting; 1/unit is a whole number. A fraction of a unit has no effect.
    thresholds, curves, likeness, free, rates
        As in `AnyResponse`.
    situation : int
        The situation to describe, if the evidence has several. The evidence of all of them counts.

    Attributes
    ----------
    amounts : FloatArray
        The amounts 0, unit, 2·unit, …, 1.
    chances : FloatArray
        Arms x curves: the posterior probability of each coarse curve, and of the free curve.
    mean_losses : FloatArray
        Arms x amounts: the expected losses of a round.
    loss_variances : FloatArray
        Arms x amounts: the variance of the losses of a round.
    find_variances : FloatArray or None
        Arms x amounts: the variance of the finds of a round. None if the evidence has losses.
    in_common : str or None
        What an arm has in common over situations, as the evidence of all arms chose: "rates" (its curve, and
        loss rates up to the factors), "curve" or "nothing". None if there is one situation.
    factors : FloatArray
        The loss rates of each situation relative to the highest, the same for all arms. They are used for
        "rates" only; empty if there is one situation.

    Examples
    --------
    >>> log = Evidence(1, [(0, 0.0, 40, 20), (0, 0.25, 40, 21), (0, 0.5, 40, 0)])
    >>> arm = ResponsePosterior(log, unit=0.25)
    >>> [(words, round(chance, 2)) for words, chance in arm.shapes[0][:1]]
    [('a step at 0.5', 0.93)]
    >>> arm.mean_losses.round(2).tolist()
    [[0.51, 0.5, 0.01, 0.01, 0.01]]
    """

    def __init__(
        self,
        evidence: Evidence,
        *,
        unit: float = 0.05,
        thresholds: Sequence[float | None] | None = None,
        curves: Curves | None = None,
        likeness: float | None = READ_LIKENESS,
        free: float = FREE,
        rates: Rates | None = None,
        situation: int = 0,
    ) -> None:
        if not isinstance(evidence, Evidence):
            raise InputError.of("evidence", evidence, "Evidence")
        units = full_units(unit)
        refuse_listed(rates, evidence.situations)
        self.evidence = evidence
        self.amounts: FloatArray = np.arange(units + 1) / units
        capped = may_be_capped(evidence.losses, evidence.sees, evidence.situations)
        self.family = Family.named(curves, units, capped=capped)
        prior = curves_prior(
            self.family,
            evidence.arms,
            sees=evidence.sees,
            rates=checked_rates(rates, evidence.losses, evidence.sees),
            free=checked_share(free),
            thresholds=thresholds,
            precision=READING,
            counts=evidence.losses == "counts",
        )
        self._likeness = math.inf if likeness is None else positive("likeness", likeness)
        self._curves, self._sketch = self._beliefs(prior, situation), new_sketch(prior)
        self._finds = evidence.sees == "finds"
        self.chances: FloatArray
        self.mean_losses: FloatArray
        counts = evidence.losses == "counts"
        found = summary(self._curves, self._sketch, self._likeness, self.family, counts=counts)
        self.chances, self.mean_losses = found.chances, found.losses
        self.loss_variances: FloatArray = found.variances
        self.find_variances: FloatArray | None = found.find_variances

    def _beliefs(self, prior: Prior, situation: int) -> Any:
        last = self.evidence.situations - 1
        situation = whole("situation", situation, least=0, most=last)
        self.in_common: str | None = None
        self.factors: FloatArray = np.zeros(0)
        if last == 0:
            return curves_given(prior, self.evidence, READING.nodes)
        curves = situated_given(prior, self.evidence, READING.nodes, self._likeness)
        self.in_common, self.factors = IN_COMMON[curves.model[0]], curves.pooled.rows.factors
        curves.now[0] = situation
        return readable(curves)

    def __repr__(self) -> str:
        return f"<ResponsePosterior of {self.evidence.arms} arms, {self.amounts.size - 1} units>"

    @property
    def loss_rates(self) -> FloatArray:
        """The expected loss rate of every arm."""
        return self.mean_losses[:, 0]

    def expected_loss(self, arm: int, amount: float) -> float:
        """The expected number of losses of a round.

        Parameters
        ----------
        arm : int
            The arm, counted from 0.
        amount : float
            Its grant, from 0 to 1.

        Returns
        -------
        float
            The expectation.
        """
        arm = whole("arm", arm, least=0, most=self.evidence.arms - 1)
        amount = number("amount", amount, "a number from 0 to 1", least=0.0, most=1.0)
        units = self.amounts.size - 1
        return float(self.mean_losses[arm, min(math.floor((amount + EVIDENCE_SLACK) * units), units)])

    def draw(self, count: int, seed: int | np.random.Generator) -> FloatArray:
        """Draw curves of expected losses from the posterior.

        Parameters
        ----------
        count : int
            The number of draws.
        seed : int or numpy.random.Generator
            The seed.

        Returns
        -------
        FloatArray
            Draws x arms x amounts.
        """
        stream = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
        out = np.zeros((whole("count", count, least=1), *self.mean_losses.shape))
        sow(self._sketch.bits, stream)
        _draw_losses(self._curves, self._sketch, self._likeness, self._finds, out)
        return out

    @cached_property
    def _draws(self) -> FloatArray:
        count = max(400, min(BAND_DRAWS, 8_000_000 // self.mean_losses.size))
        return np.sort(self.draw(count, seed=0), axis=0)

    def band(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """A central credible band for the expected losses, from draws.

        Parameters
        ----------
        level : float
            The probability of the band.

        Returns
        -------
        low, high : FloatArray
            Arms x amounts.
        """
        tail = (1.0 - open_unit("level", level)) / 2.0
        low, high = np.quantile(self._draws, [tail, 1.0 - tail], axis=0)
        return low, high

    def loss_rate_interval(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """A central credible interval for the loss rate of every arm.

        Parameters
        ----------
        level : float
            The probability of the interval.

        Returns
        -------
        low, high : FloatArray
            The ends, by arm.
        """
        low, high = self.band(level)
        return low[:, 0], high[:, 0]

    @cached_property
    def shapes(self) -> tuple[tuple[tuple[str, float], ...], ...]:
        """For every arm, the possible shapes of its curve in words, with probabilities; likely first."""
        words = [self._words(h) for h in range(self.family.weights.size)] + [WORDS[OTHER]]
        names = sorted(set(words))
        belongs = np.zeros((len(words), len(names)))
        belongs[np.arange(len(words)), [names.index(each) for each in words]] = 1.0
        table = self.chances @ belongs
        order = np.argsort(-table, axis=1, kind="stable")
        return tuple(
            tuple((names[k], float(table[i, k])) for k in order[i] if table[i, k] > 0.0)
            for i in range(len(table))
        )

    def shapes_within(self, units: Sequence[int]) -> tuple[tuple[tuple[str, float], ...], ...]:
        """The shapes as seen up to a limited amount of each arm.

        A curve that prevents less than 1 % of the losses up to there counts as a curve on which nothing
        helps.

        Parameters
        ----------
        units : sequence of int
            The largest number of units of each arm.

        Returns
        -------
        tuple of tuple of (str, float)
            For every arm, shapes in words with their probabilities; likely first.
        """
        coarse = self.family.weights.size
        words = np.array([self._words(h) for h in range(coarse)] + [WORDS[OTHER]], object)
        found = []
        for arm, most in enumerate(units):
            names = words.copy()
            names[:coarse][self.family.remaining[:coarse, most] > 1.0 - NOTICED] = WORDS[FLAT]
            chances: dict[str, float] = {}
            for name, chance in zip(names, self.chances[arm].tolist(), strict=True):
                chances[name] = chances.get(name, 0.0) + chance
            found.append(tuple(sorted(chances.items(), key=lambda each: -each[1])))
        return tuple(found)

    def plot(self, arms: Sequence[int] | None = None, *, level: float = 0.9) -> "Figure":
        """Draw the expected losses of a round by amount, with their band, in a panel for each arm.

        Parameters
        ----------
        arms : sequence of int, optional
            The arms to draw. By default, the twelve with the highest loss rates.
        level : float
            The probability of the band.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        if arms is None:
            arms = sorted(np.argsort(-self.loss_rates, kind="stable")[:PANELS].tolist())
        chosen = [whole("arm", arm, least=0, most=self.evidence.arms - 1) for arm in arms]
        if not chosen:
            raise InputError.of("arms", arms, "at least one arm")
        low, high = self.band(level)
        x = self.amounts.tolist()
        panels = [
            BandPanel(
                (Band("", x, *(each[arm].tolist() for each in (self.mean_losses, low, high))),), f"Arm {arm}"
            )
            for arm in chosen
        ]
        return draw_bands(panels, "Granted", "Losses of a round")

    def _repr_html_(self) -> str:
        ends = zip(*self.loss_rate_interval(0.95), strict=True)
        rows = [
            [str(arm), f"{low:.3g} to {high:.3g}", f"{shapes[0][0]} ({100.0 * shapes[0][1]:.0f} %)"]
            for arm, ((low, high), shapes) in enumerate(zip(ends, self.shapes, strict=True))
        ]
        left_out = f" (the first {SHOWN})" if len(rows) > SHOWN else ""
        table = html_table(["arm", "loss rate, 95 % interval", "most likely"], rows[:SHOWN])
        return html_block(repr(self)[1:-1] + left_out, table, small_picture(self.plot, "What each arm loses"))

    def _words(self, curve: int) -> str:
        shape, left = self.family.shape_of(curve), self.family.remaining[curve]
        prevented = left[:-1] - left[1:]
        unit = int(np.argmax(prevented))
        if shape == STEP or (shape == GRADUAL and prevented[unit] >= SUDDEN * prevented.sum()):
            return f"a step at {self.amounts[unit + 1]:g}"
        return WORDS[shape]
