"""Chooses the curves worth considering for an arm: the likely ones, and finer ones where few are left."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.kernels.lane_math import lane_log, log_beta, log_gamma, sum_of_all
from allotment.policies.any_response.beliefs import CountedCurves, Prior, Rows, YesNoCurves
from allotment.policies.any_response.bench import Candidates, Division, SeenAmounts
from allotment.policies.any_response.curve_tables import look_up
from allotment.policies.any_response.densities import find_peaks, log_densities
from allotment.policies.any_response.family import Levels
from allotment.policies.any_response.tuning import FEW, FINER_FROM, LEAST, LIKELY, ROOM
from allotment.tolerance import EVIDENCE_SLACK

HALF_LOG_TWO_PI = 0.9189385332046727
NEVER = -1e300
HARDLY = 0.5 * NEVER  # what an arm cannot have is below this, whatever the evidence
TOO_MANY = -1e100


@kernel
def gather(rows: Rows, arm: int, seen: SeenAmounts) -> int:
    """Write the amounts with evidence, their events and quiet rounds; return the number of amounts."""
    count = 0
    for u in range(rows.rounds.shape[1]):
        if rows.rounds[arm, u] > 0.0:
            seen.amounts[count] = u
            seen.events[count] = rows.events[arm, u]
            seen.quiet[count] = max(0.0, rows.rounds[arm, u] - rows.events[arm, u])
            count += 1
    return count


@kernel
def rounds_of(rows: Rows, arm: int) -> float:
    """The number of rounds of an arm."""
    return sum_of_all(rows.rounds[arm])


@kernel
def evidence_of(rows: Rows, arm: int) -> float:
    """How much evidence an arm has: its rounds, or its incidents if these are more.

    A round with many incidents tells as much as many rounds.
    """
    return max(rounds_of(rows, arm), sum_of_all(rows.events[arm]))


@kernel
def has_evidence(curves: Any, arm: int, least: float) -> bool:
    """Whether the evidence of an arm is at least this much.

    Never where evidence ages: coarse curves must do there.
    """
    return curves.prior.keep == 1.0 and evidence_of(curves.rows, arm) >= least


@kernel
def evidence_in(prior: Prior, events: float) -> float:
    """How much evidence one round gives. Where evidence ages, it is rounds that matter."""
    return max(1.0, events) if prior.keep == 1.0 else 1.0


@kernel
def was_seen_for(curves: Any, arm: int, rounds: float) -> bool:
    """Whether an arm has at least `rounds` rounds; never where evidence ages."""
    return curves.prior.keep == 1.0 and rounds_of(curves.rows, arm) >= rounds


@lanes
def most_likely(log_weight: FloatArray) -> float:
    """The logarithm of the largest weight. Four maxima at once take a fourth of the time of one."""
    a, b, c, d = NEVER, NEVER, NEVER, NEVER
    whole = log_weight.size // 4 * 4
    for j in range(0, whole, 4):
        a, b = max(a, log_weight[j]), max(b, log_weight[j + 1])
        c, d = max(c, log_weight[j + 2]), max(d, log_weight[j + 3])
    for j in range(whole, log_weight.size):
        a = max(a, log_weight[j])
    return max(max(a, b), max(c, d))


@kernel
def shape_given(prior: Prior, events: FloatArray) -> float:
    """The first parameter of the prior plus all events."""
    first = prior.shape[0]
    for k in range(events.size):
        first += events[k]
    return first


@kernel
def log_prior(prior: Prior, arm: int, h: int) -> float:
    """The log of the prior of a curve within its kind."""
    weight = prior.weights[arm, prior.levels.coarse[h]] * prior.levels.part[h]
    return math.log(weight) if weight > 0.0 else NEVER


@lanes
def is_capped(prior: Prior, h: int) -> bool:
    """Whether every unit finds at most one incident on a curve."""
    return prior.means.size > 0 and prior.means[h] > 0.0


@kernel
def log_counted(prior: Prior, first: float) -> float:
    """The log of the factor that the weights of all curves have for counts: b^a·Γ(a + S) / Γ(a)."""
    return prior.shape[0] * math.log(prior.shape[1]) - log_gamma(prior.shape[0]) + log_gamma(first)


@lanes
def log_found(expected: float, units: int, finds: float, failures: float) -> float:
    """The log of the probability of units that find an incident and others that find none.

    In a round, `expected` incidents are expected to be found, under one unit or more.
    """
    chance = min(max(expected / units, LEAST), 1.0 - LEAST)
    return finds * lane_log(chance) + failures * lane_log(1.0 - chance)


@kernel
def log_tries(units: int, rounds: float, finds: float) -> float:
    """The log of the number of ways in which finds fall on units, relative to that of a Poisson number.

    More finds than units are impossible; the logarithm is finite, so that the evidence may change that.
    """
    tries = units * rounds
    if finds <= 0.0:
        return 0.0
    if finds > tries * (1.0 + EVIDENCE_SLACK):
        return TOO_MANY
    return log_gamma(1.0 + tries) - log_gamma(1.0 + max(0.0, tries - finds)) - finds * math.log(rounds)


@lanes
def _add_events(events: float, seen: FloatArray, log_events: FloatArray) -> None:
    for h in range(seen.size):
        log_events[h] += events * lane_log(seen[h])


@kernel
def _weigh_events(
    curves: Any, seen: SeenAmounts, among: Candidates, arm: int, number: int, count: int, constant: float
) -> None:
    """Write the shares of curves at the amounts with evidence, and the log of prior and events."""
    prior, factors = curves.prior, curves.rows.factors
    for k in range(count):
        look_up(prior, factors, among.curve[:number], seen.amounts[k], among.shares[k, :number])
    for j in range(number):
        own = log_prior(prior, arm, among.curve[j])
        among.log_events[j] = constant + own if own > NEVER else NEVER
    for k in range(count):
        if seen.events[k] > 0.0:
            _add_events(seen.events[k], among.shares[k, :number], among.log_events[:number])


@generic
def weigh(curves: Any, seen: SeenAmounts, among: Candidates, arm: int, number: int, count: int) -> None:
    """Weigh the first `count` candidates; for yes/no losses, also find the peaks of their densities."""


@weigh.register
def _weigh_yes_no(
    curves: YesNoCurves, seen: SeenAmounts, among: Candidates, arm: int, number: int, count: int
) -> None:
    prior, at, quiet = curves.prior, curves.bench.densities, seen.quiet[:count]
    first, second = shape_given(prior, seen.events[:count]), prior.shape[1]
    _weigh_events(curves, seen, among, arm, number, count, -log_beta(prior.shape[0], second))
    find_peaks(curves.bench.search, at, among.spread, quiet, among.shares, number, first, second)
    log_densities(at, quiet, among.shares, number, first, second)
    for j in range(number):
        area = math.log(among.spread[j]) + HALF_LOG_TWO_PI
        among.log_weight[j] = among.log_events[j] + at.log_density[j] + area
        among.centre[j], among.log_peak[j] = at.theta[j], at.log_density[j]


@weigh.register
def _weigh_counted(
    curves: CountedCurves, seen: SeenAmounts, among: Candidates, arm: int, number: int, count: int
) -> None:
    """Weigh candidates for counts. The rate has a Gamma distribution; `centre` is its exposure."""
    prior, rounds = curves.prior, curves.rows.rounds
    first, second = shape_given(prior, seen.events[:count]), prior.shape[1]
    _weigh_events(curves, seen, among, arm, number, count, log_counted(prior, first))
    for j in range(number):
        among.centre[j] = second
        for k in range(count):
            among.centre[j] += among.shares[k, j] * rounds[arm, seen.amounts[k]]
        among.log_weight[j] = among.log_events[j] - first * math.log(among.centre[j])
    if prior.means.size > 0:
        _weigh_capped(prior, rounds[arm], seen, among, arm, number, count)


@kernel
def _weigh_capped(
    prior: Prior,
    rounds: FloatArray,
    seen: SeenAmounts,
    among: Candidates,
    arm: int,
    number: int,
    count: int,
) -> None:
    """Weigh the capped ones of the candidates; their exposure is that of the prior."""
    log_all = 0.0
    for k in range(count):
        log_all += log_tries(seen.amounts[k], rounds[seen.amounts[k]], seen.events[k])
    for j in range(number):
        mean = prior.means[among.curve[j]]
        if mean > 0.0:
            log_weight = 0.0
            for k in range(count):
                amount = seen.amounts[k]
                failures = amount * rounds[amount] - seen.events[k]
                if amount > 0:
                    log_weight += log_found(mean * among.shares[k, j], amount, seen.events[k], failures)
            own = log_prior(prior, arm, among.curve[j])
            among.log_events[j] = log_weight
            among.log_weight[j] = log_weight + log_all + own if own > NEVER else NEVER
            among.centre[j] = prior.shape[1]


@kernel
def _divide(levels: Levels, among: Candidates, division: Division, number: int) -> int:
    """Replace every curve by its parts; return their number, or 0 if no curve has parts."""
    after, divided = 0, False
    for j in range(number):
        h = division.before[j] = among.curve[j]
        division.stayed[j] = among.stays[j]
        division.height[j] = division.reach[j] = among.log_weight[j] - math.log(levels.part[h])
    for j in range(number):
        h = division.before[j]
        first, end = levels.finer[h, 0], levels.finer[h, 1]
        if first == end or division.stayed[j] == 1:  # a curve without parts stays
            first, end = h, h + 1
        divided = divided or first != h
        for part in range(first, end):
            among.curve[after], division.whole[after] = part, j
            among.stays[after] = division.stayed[j]
            after += 1
    return after if divided else 0


@kernel
def keeps_all(prior: Prior) -> bool:
    """Whether every curve has a row, however unlikely it is."""
    return prior.cut == math.inf


@kernel
def _keep_promising(prior: Prior, among: Candidates, division: Division, number: int) -> tuple[int, int]:
    """Move the parts of curves to the front that may be likely somewhere in their range.

    The logarithm of a weight is nearly a concave hill. From the middle of a range to its end, it rises at
    most twice as much as to the middle of that half.

    Where every curve has a row, the others stay as they are, undivided. Returns the number of promising
    parts, and the number of all curves that are left.
    """
    levels, height, reach, best = prior.levels, division.height, division.reach, NEVER
    promising, left, last = 0, 0, -1
    for j in range(number):
        whole = division.whole[j]
        here = among.log_weight[j] - math.log(levels.part[among.curve[j]])
        reach[whole] = max(reach[whole], 2.0 * here - height[whole])
        best = max(best, here, height[whole])
    for j in range(number):
        whole = division.whole[j]
        if reach[whole] >= best - LIKELY:
            among.curve[left], among.log_weight[left] = among.curve[j], among.log_weight[j]
            among.stays[left] = among.stays[j]
            promising, left = promising + 1, left + 1
        elif keeps_all(prior) and whole != last:
            h, last = division.before[whole], whole
            among.curve[left], among.log_weight[left] = h, height[whole] + math.log(levels.part[h])
            among.stays[left] = 1
            left += 1
    return promising, left


@kernel
def _are_few(log_weight: FloatArray) -> bool:
    """Whether only few of these curves are likely."""
    least, likely = most_likely(log_weight) - LIKELY, 0
    for j in range(log_weight.size):
        if log_weight[j] >= least:
            likely += 1
    return likely <= FEW


@kernel
def _look_closer(
    curves: Any, seen: SeenAmounts, among: Candidates, division: Division, arm: int, number: int, count: int
) -> int:
    """Divide curves and drop unlikely ones, as long as few are left; return their number."""
    prior, coarse = curves.prior, number
    while True:
        parts = _divide(prior.levels, among, division, number)
        if parts == 0:
            break
        weigh(curves, seen, among, arm, parts, count)
        promising, left = _keep_promising(prior, among, division, parts)
        if promising >= coarse or left > ROOM * coarse or not _are_few(among.log_weight[:left]):
            break
        number = left
    for j in range(number):
        among.curve[j] = division.before[j]
    weigh(curves, seen, among, arm, number, count)
    return number


@kernel
def _keep_likely(among: Candidates, number: int, count: int, least: float) -> int:
    """Move the curves with enough weight to the front; return their number."""
    row = 0
    for j in range(number):
        if among.log_weight[j] >= least:
            among.curve[row], among.log_weight[row] = among.curve[j], among.log_weight[j]
            among.centre[row], among.spread[row] = among.centre[j], among.spread[j]
            among.log_peak[row], among.log_events[row] = among.log_peak[j], among.log_events[j]
            for k in range(count):
                among.shares[k, row] = among.shares[k, j]
            row += 1
    return row


@kernel
def choose(
    curves: Any, seen: SeenAmounts, among: Candidates, division: Division, arm: int, count: int
) -> int:
    """Move the curves worth considering to the front of the candidates; return their number."""
    number = curves.prior.weights.shape[1]
    for h in range(number):
        among.curve[h] = h
    weigh(curves, seen, among, arm, number, count)
    return choose_among(curves, seen, among, division, arm, count)


@kernel
def choose_among(
    curves: Any, seen: SeenAmounts, among: Candidates, division: Division, arm: int, count: int
) -> int:
    """The same if the candidates are all coarse curves, and their weights are known."""
    prior, number = curves.prior, curves.prior.weights.shape[1]
    for j in range(number):
        among.stays[j] = 0
    if has_evidence(curves, arm, FINER_FROM) and _are_few(among.log_weight[:number]):
        number = _look_closer(curves, seen, among, division, arm, number, count)
    least = max(most_likely(among.log_weight[:number]) - prior.cut, HARDLY)
    return _keep_likely(among, number, count, least)
