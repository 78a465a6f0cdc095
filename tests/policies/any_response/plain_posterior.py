"""The curves that the plain AnyResponse believes an arm may have, from docs/explanation/any-response.md."""

import copy
import math
from dataclasses import dataclass
from functools import partial
from itertools import compress

import numpy as np
from scipy.special import betaln, gammaln, logsumexp, xlogy

from policies.any_response.plain_family import LEAST, capped

LOWEST, HIGHEST, HIGHEST_GUESS = -60.0, 3.5, 1.0
WIDEST, NARROWEST, NEAR, FARTHEST, MANY = 3.0, 1e-4, 0.02, 8.0, 60
STEP_GROWTH = 1.2
FINER_FROM, FEW, LIKELY, ROOM = 300, 192, 12.0, 2
NODES, CUT, DROP = 12, 8.0, 7.0


@dataclass
class Seen:
    """The evidence of an arm by units, the kind of evidence, and the prior of its loss rate."""

    rounds: np.ndarray
    events: np.ndarray
    prior: tuple
    counts: bool = False
    finds: bool = False
    ages: bool = False

    @property
    def quiet(self):
        return self.rounds - self.events

    @property
    def evidence(self):
        return max(self.rounds.sum(), self.events.sum())

    @property
    def units(self):
        return self.rounds.size - 1

    def log_marginal(self, events, rounds):
        """m(E, N): of a rate of its own."""
        if self.counts:
            return gammaln(1.0 + events) - (1.0 + events) * np.log1p(rounds)
        return betaln(1.0 + events, 1.0 + rounds - events)


class Weighed:
    """Curves with the logarithms of their first weights; for yes/no losses, also the integrands' peaks."""

    def __init__(self, seen, curves):
        self.seen, self.curves = seen, curves
        remaining = np.array([curve.remaining(seen.units) for curve in curves])
        self.visible = np.maximum(LEAST, 1.0 - remaining) if seen.finds else remaining  # q
        self.total = seen.events.sum()
        a, b = seen.prior
        priors = np.log([curve.prior for curve in curves])
        outside = priors + np.log(self.visible) @ seen.events
        if seen.counts:
            self.exposure = b + self.visible @ seen.rounds
            outside += a * math.log(b) + gammaln(a + self.total) - gammaln(a)
            self.first = outside - (a + self.total) * np.log(self.exposure)
            self.means = np.array([curve.width.value * (curve.shape is capped) for curve in curves])
            is_capped = self.means > 0.0
            self.first[is_capped] = (priors + self._log_found())[is_capped]
            return
        self.outside = outside - betaln(a, b)
        self.peak, self.spread = self._peaks()
        self.height = self.log_density(self.peak)
        self.first = self.outside + self.height + np.log(self.spread * math.sqrt(2.0 * math.pi))

    def _log_found(self):
        """Every unit of a round is a try that finds an incident or none; relative to Poisson numbers."""
        seen, units = self.seen, np.arange(1, self.seen.units + 1)
        rounds, finds = seen.rounds[1:], seen.events[1:]
        tries = units * rounds
        if seen.events[0] > 0.0 or (finds > tries * (1.0 + 1e-12)).any():
            return np.full(self.means.size, -1e100)
        chance = np.clip(self.means[:, np.newaxis] * self.visible[:, 1:] / units, LEAST, 1.0 - LEAST)
        ways = gammaln(1.0 + tries) - gammaln(1.0 + tries - finds) - xlogy(finds, rounds)
        return np.log(chance) @ finds + np.log(1.0 - chance) @ (tries - finds) + ways.sum()

    def log_density(self, theta):
        """f, for one θ of every curve."""
        alpha, beta = self.seen.prior
        rate = -np.expm1(-np.exp(theta))
        lost = np.log1p(-rate[:, np.newaxis] * self.visible) @ self.seen.quiet
        return theta - beta * np.exp(theta) + (alpha + self.total - 1.0) * np.log(rate) + lost

    def _derivatives(self, theta):
        """f′ and f″."""
        alpha, beta = self.seen.prior
        hazard = np.exp(theta)
        rate = -np.expm1(-hazard)
        first = hazard * np.exp(-hazard)
        second = first * (1.0 - hazard)
        shares = self.visible / (1.0 - rate[:, np.newaxis] * self.visible)
        events = alpha + self.total - 1.0
        slope = 1.0 - beta * hazard + events * first / rate - first * (shares @ self.seen.quiet)
        bend = -beta * hazard + events * (second / rate - (first / rate) ** 2)
        bend -= second * (shares @ self.seen.quiet) + first**2 * (shares**2 @ self.seen.quiet)
        return slope, bend

    def _peaks(self):
        alpha, beta = self.seen.prior
        theta = np.log((alpha + self.total) / (beta + self.visible @ self.seen.quiet))
        theta = np.minimum(theta, HIGHEST_GUESS)
        low, high = np.full_like(theta, LOWEST), np.full_like(theta, HIGHEST)
        for _ in range(MANY):
            slope, bend = self._derivatives(theta)
            curvature = np.maximum(-bend, 1.0 / WIDEST**2)
            spread = curvature**-0.5
            low, high = np.where(slope > 0.0, theta, low), np.where(slope > 0.0, high, theta)
            after = theta + slope / curvature
            inside = ((low < after) & (after < high)) | (after == theta)
            middle = (np.maximum(low, theta - FARTHEST) + np.minimum(high, theta + FARTHEST)) / 2
            after = np.where(inside, after, middle)
            near = NEAR * np.where(inside, spread, NARROWEST)
            moved = np.abs(after - theta) > near
            theta = after
            if not moved.any():
                break
        return theta, spread

    def only(self, kept):
        """Some of the curves."""
        chosen = copy.copy(self)
        chosen.curves = list(compress(self.curves, kept))
        for name in (
            "visible",
            "first",
            *(("exposure", "means") if self.seen.counts else ("outside", "peak", "spread", "height")),
        ):
            setattr(chosen, name, getattr(self, name)[kept])
        return chosen

    def are_few(self):
        """Whether few curves are likely."""
        return np.count_nonzero(self.first >= self.first.max() - LIKELY) <= FEW

    def heights(self):
        """A: the first weights as if every curve had the prior of its coarse curve."""
        return self.first - np.log([curve.share for curve in self.curves])


def finer(coarse, most):
    """Finer curves than the coarse ones where few are likely; fewer than `most`, or the coarse ones."""
    seen, now, left = coarse.seen, coarse, set()
    if seen.ages or seen.evidence < FINER_FROM or not coarse.are_few():
        return coarse
    while any(curve.parts() for curve in now.curves if id(curve) not in left):
        families = [[curve] if id(curve) in left else curve.parts() or [curve] for curve in now.curves]
        parts = Weighed(seen, [part for family in families for part in family])
        before, after = now.heights(), parts.heights()
        owner = np.repeat(np.arange(len(families)), [len(family) for family in families])
        reach = before.copy()
        np.maximum.at(reach, owner, 2.0 * after - before[owner])
        promising = reach >= max(before.max(), after.max()) - LIKELY
        if seen.counts:
            promised = sum(len(family) for family, is_one in zip(families, promising, strict=True) if is_one)
            unlikely = [curve for curve, is_one in zip(now.curves, promising, strict=True) if not is_one]
            curves = [
                part
                for curve, family, is_one in zip(now.curves, families, promising, strict=True)
                for part in (family if is_one else [curve])
            ]
            then = Weighed(seen, curves)
            if promised >= most or len(curves) > ROOM * most or not then.are_few():
                break
            left |= {id(curve) for curve in unlikely}
        else:
            then = parts.only(promising[owner])
            if len(then.curves) >= most or not then.are_few():
                break
        now = then
    return now


class Beliefs:
    """The curves worth considering, with their weights; of yes/no losses, with nodes."""

    def __init__(self, seen, curves, possible):
        weighed = finer(Weighed(seen, curves).only(possible), len(curves))
        if not seen.counts:
            weighed = weighed.only(weighed.first >= weighed.first.max() - CUT)
        self.kinds = np.array([curve.kind for curve in weighed.curves])
        self.visible = weighed.visible
        self.total = weighed.total
        if seen.counts:
            self.exposure = weighed.exposure
            self.log_weights = weighed.first
            self.means = weighed.means
            expected = (seen.prior[0] + self.total) / self.exposure
            self.rates = np.where(self.means > 0.0, self.means, expected)
            return
        self.lower, upper = _ends(weighed)
        self.distance = (upper - self.lower) / (NODES - 1)
        density = [weighed.log_density(self.lower + m * self.distance) for m in range(NODES)]
        self.log_nodes = (np.array(density) + weighed.outside + np.log(self.distance)).T
        self.log_weights = logsumexp(self.log_nodes, axis=1)
        chances = np.exp(self.log_nodes - self.log_weights[:, np.newaxis])
        self.rates = (chances * self.rate_at(np.arange(NODES))).sum(axis=1)

    def rate_at(self, places, curves=slice(None)):
        """The rates at places between the nodes of curves."""
        theta = self.lower[curves, np.newaxis] + places * self.distance[curves, np.newaxis]
        return -np.expm1(-np.exp(theta))


def _ends(weighed):
    """From where to where the nodes of each curve lie."""
    t = math.sqrt(2.0 * DROP) * weighed.spread
    down = np.where(t < 2.0, t + t**2 / 6, t**2 / 2 + 1.0)
    up = t / (1.0 + t / 6)
    return [_end(weighed, step) for step in (-down, up)]


def _end(weighed, step):
    end = partial(np.clip, a_min=LOWEST, a_max=HIGHEST)
    for _ in range(MANY):
        theta = end(weighed.peak + step)
        high = weighed.log_density(theta) > weighed.height - DROP
        longer = high & (theta > LOWEST) & (theta < HIGHEST)
        if not longer.any():
            break
        step = np.where(longer, STEP_GROWTH * step, step)
    return end(weighed.peak + step)
