"""What evidence says of whole response curves, for every arm; `beliefs.py` has the formulas."""

import functools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, SingleArray
from allotment.checks import number, open_unit, positive, vector, whole
from allotment.compiling.decorators import Entry
from allotment.errors import InputError
from allotment.evidence import Evidence
from allotment.kernels.bits import sow
from allotment.markup import html_block, html_table
from allotment.plots.bands import Band, BandPanel, draw_bands
from allotment.plots.figures import small_picture
from allotment.policies.any_response.beliefs import CountedCurves, Prior, YesNoCurves, new_curves
from allotment.policies.any_response.curve_kinds import LEAST
from allotment.policies.any_response.draws import new_sketch, share_kinds
from allotment.policies.any_response.family import FLAT, GRADUAL, OTHER, STEP, Family, full_units
from allotment.policies.any_response.family_memory import FINE_NODES, NODES
from allotment.policies.any_response.settling import settle
from allotment.policies.any_response.summaries import draw_losses, summarise
from allotment.tolerance import EVIDENCE_SLACK
from allotment.worlds.responses import Response

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FREE = 0.05  # the prior weight of the free curve
LIKENESS = 1.0  # how many arms the prior weights of the kinds count for
RATES = {"binary": (0.5, 1.0), "counts": (0.5, 0.5)}  # the prior of loss rates
CUT, DROP = 10.0, 8.0  # good for decisions,
FINE_CUT, FINE_DROP = 30.0, 18.0  # and for numbers that people read
BAND_DRAWS = 2000
PANELS, SHOWN = 12, 60  # arms in a picture and in a table, unless it is said which
# Arrays of beliefs that are not by arm; and stairs, which an arm that was never seen does not have.
NOT_COPIED = ("granted", "seen", "stairs")
WORDS = {GRADUAL: "gradual", FLAT: "nothing helps", OTHER: "some other curve"}

Curves = YesNoCurves | CountedCurves


@Entry
def _settle(curves: Any, arms: Any) -> None:
    for arm in arms:
        settle(curves, arm)


@Entry
def _summarise(
    curves: Any,
    sketch: Any,
    likeness: float,
    remaining: Any,
    finds: bool,
    counts: bool,
    chances: Any,
    lost: Any,
) -> None:
    share_kinds(curves.prior, curves.rows, likeness, sketch)
    summarise(curves, sketch, remaining, finds, counts, chances, lost)


@Entry
def _draw_losses(curves: Any, sketch: Any, finds: bool, out: Any) -> None:
    draw_losses(curves, sketch, finds, out)


def checked_rates(rates: Sequence[float] | None, losses: str) -> tuple[float, float]:
    """The prior's two numbers, or those that are usual for this kind of losses."""
    if rates is None:
        return RATES[losses]
    pair = vector("rates", rates, "above 0", above=0.0)
    if pair.size != 2:
        raise InputError.of("rates", rates, "two numbers")
    return float(pair[0]), float(pair[1])


def checked_share(free: float) -> float:
    """The prior weight of the free curve."""
    return number("free", free, "a number from 0 up to 1", least=0.0, below=1.0)


def checked_thresholds(
    thresholds: Sequence[float | None] | None, arms: int | None = None
) -> tuple[float | None, ...] | None:
    """Thresholds that are known, None where they are not."""
    if thresholds is None:
        return None
    listed = [math.nan if each is None else each for each in thresholds]
    checked = vector(
        "thresholds", listed, "above 0 and at most 1", length=arms, above=0.0, most=1.0, missing=True
    )
    return tuple(None if each != each else each for each in checked.tolist())


@functools.lru_cache(maxsize=4)
def _tables(family: Family, sees: str) -> tuple[FloatArray, FloatArray, SingleArray]:
    """What is seen of the loss rate, curves x amounts and twice amounts x curves; learners share them."""
    seen = family.remaining if sees == "losses" else np.maximum(1.0 - family.remaining, LEAST)
    seen_at = np.ascontiguousarray(seen.T)
    return np.ascontiguousarray(seen), seen_at, seen_at.astype(np.float32)


def curves_prior(
    family: Family,
    arms: int,
    *,
    sees: str,
    rates: tuple[float, float],
    free: float,
    thresholds: Sequence[float | None] | None = None,
    precision: tuple[float, float] = (CUT, DROP),
    keep: float = 1.0,
) -> Prior:
    """What is thought of so many arms beforehand."""
    units = family.remaining.shape[1] - 1
    known = checked_thresholds(thresholds, arms)
    cut, drop = precision
    seen, seen_at, single_at = _tables(family, sees)
    return Prior(
        seen=seen,
        seen_at=seen_at,
        single_at=single_at,
        outlines=family.outlines,
        finds=sees == "finds",
        kinds=family.kinds,
        levels=family.levels,
        weights=family.for_arms(arms, known, units),
        by_kind=np.append((1.0 - free) * family.kind_weights, free),
        free=np.array([1.0 if each is None and free > 0.0 else 0.0 for each in known or [None] * arms]),
        shape=rates,
        cut=cut,
        drop=drop,
        keep=keep,
    )


def curves_given(prior: Prior, evidence: Evidence, nodes: int = NODES) -> Curves:
    """What is thought after the evidence; amounts count as the whole units that they contain."""
    curves = new_curves(prior, evidence.losses == "counts", nodes)
    units = prior.seen.shape[1] - 1
    rounds, events = evidence.in_units(units)
    curves.rows.rounds[:], curves.rows.events[:] = rounds, events
    curves.rows.granted[0] = (rounds @ np.arange(units + 1)).sum()
    unseen = np.flatnonzero(~curves.rows.rounds.any(axis=1) & (prior.weights == prior.weights[0]).all(axis=1))
    unseen = unseen[prior.free[unseen] == prior.free[0]]
    _settle(curves, np.append(np.setdiff1d(np.arange(evidence.arms), unseen), unseen[:1]))
    if unseen.size > 1:  # arms that nothing is known of are all alike
        for name, part in (curves.rows._asdict() | curves._asdict()).items():
            if isinstance(part, np.ndarray) and name not in NOT_COPIED:
                part[unseen[1:]] = part[unseen[0]]
    return curves


class ResponsePosterior:
    """What is known of every arm's response curve and loss rate, given evidence; AnyResponse decides by it.

    The parameters are those of `AnyResponse`. Amounts count as the whole units that they contain.

    >>> log = Evidence(1, [(0, 0.0, 40, 20), (0, 0.25, 40, 21), (0, 0.5, 40, 0)])
    >>> arm = ResponsePosterior(log, unit=0.25)
    >>> [(words, round(chance, 2)) for words, chance in arm.shapes[0][:1]]
    [('a step at 0.5', 0.95)]
    >>> arm.mean_losses.round(2).tolist()
    [[0.51, 0.51, 0.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        evidence: Evidence,
        *,
        unit: float = 0.05,
        thresholds: Sequence[float | None] | None = None,
        curves: Sequence[tuple[Response, float]] | None = None,
        likeness: float | None = LIKENESS,
        free: float = FREE,
        rates: Sequence[float] | None = None,
    ) -> None:
        if not isinstance(evidence, Evidence):
            raise InputError.of("evidence", evidence, "Evidence")
        units = full_units(unit)
        self.evidence = evidence
        self.amounts: FloatArray = np.arange(units + 1) / units
        self.family = Family.standard(units) if curves is None else Family.of(curves, units)
        prior = curves_prior(
            self.family,
            evidence.arms,
            sees=evidence.sees,
            rates=checked_rates(rates, evidence.losses),
            free=checked_share(free),
            thresholds=thresholds,
            precision=(FINE_CUT, FINE_DROP),
        )
        self._likeness = math.inf if likeness is None else positive("likeness", likeness)
        self._curves, self._sketch = curves_given(prior, evidence, FINE_NODES), new_sketch(prior)
        self._finds = evidence.sees == "finds"
        shape = evidence.arms, self.family.weights.size + 1
        self.chances: FloatArray = np.zeros(shape)  # of every coarse curve, and of the free one
        self.mean_losses: FloatArray = np.zeros((evidence.arms, units + 1))  # expected in a round
        _summarise(
            self._curves,
            self._sketch,
            self._likeness,
            self.family.remaining,
            self._finds,
            evidence.losses == "counts",
            self.chances,
            self.mean_losses,
        )

    def __repr__(self) -> str:
        return f"<ResponsePosterior of {self.evidence.arms} arms, {self.amounts.size - 1} units>"

    @property
    def loss_rates(self) -> FloatArray:
        """The expected loss rate of every arm that is left alone."""
        return self.mean_losses[:, 0]

    def expected_loss(self, arm: int, amount: float) -> float:
        """The expected number of losses in a round at this amount: the posterior predictive."""
        arm = whole("arm", arm, least=0, most=self.evidence.arms - 1)
        amount = number("amount", amount, "a number from 0 to 1", least=0.0, most=1.0)
        units = self.amounts.size - 1
        return float(self.mean_losses[arm, min(math.floor((amount + EVIDENCE_SLACK) * units), units)])

    def draw(self, count: int, seed: int | np.random.Generator) -> FloatArray:
        """So many draws of the expected losses in a round: draws x arms x amounts."""
        stream = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
        out = np.zeros((whole("count", count, least=1), *self.mean_losses.shape))
        sow(self._sketch.bits, stream)
        _draw_losses(self._curves, self._sketch, self._finds, out)
        return out

    @cached_property
    def _draws(self) -> FloatArray:
        count = max(400, min(BAND_DRAWS, 8_000_000 // self.mean_losses.size))
        return np.sort(self.draw(count, seed=0), axis=0)

    def band(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """A central credible band for the expected losses, low and high, by arm and amount; from draws."""
        tail = (1.0 - open_unit("level", level)) / 2.0
        low, high = np.quantile(self._draws, [tail, 1.0 - tail], axis=0)
        return low, high

    def loss_rate_interval(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """A central credible interval for the loss rate of every arm that is left alone."""
        low, high = self.band(level)
        return low[:, 0], high[:, 0]

    @cached_property
    def shapes(self) -> tuple[tuple[tuple[str, float], ...], ...]:
        """For every arm, the shapes that its curve may have, in words, with their chances; likely first."""
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

    def plot(self, arms: Sequence[int] | None = None, *, level: float = 0.9) -> "Figure":
        """Draw the losses to expect in a round at every amount, with their band, an arm a panel.

        Unless `arms` says which, the twelve that lose most if they are left alone.
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
        shape = self.family.shape_of(curve)
        return f"a step at {self.amounts[self.family.steps[curve]]:g}" if shape == STEP else WORDS[shape]
