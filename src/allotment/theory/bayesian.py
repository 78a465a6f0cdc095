"""The bound on the Bayesian regret of plain posterior sampling.

This result is not the paper's. docs/explanation/bayesian-regret.md has the propositions, their proofs and
their limits.
"""

import math
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import number, one_of, open_unit, whole
from allotment.compiling.decorators import Entry
from allotment.errors import NotApplicableError, shown
from allotment.kernels.protocol import ask
from allotment.policies._posterior_sampling import PosteriorSampling, PriorRound
from allotment.policies.base.policy import Bounds, Policy, Setting

ESTIMATED, LARGEST = "estimated", "largest"
DRAWS = 10_000


class Entropies(NamedTuple):
    """Upper limits of entropies, by arm, in nats."""

    amounts: FloatArray  # of the best amount
    covered: FloatArray  # of whether it is above 0


class BayesianBound(float):
    """The bound as a number, with its terms and the entropies behind them.

    Attributes
    ----------
    terms : dict of str to float
        "search", "learning" and "rounding".
    entropies : Entropies
        Upper limits of the entropies, by arm.
    confidence : float
        The probability that the entropies are not too low; 1 where they are the largest possible.
    """

    terms: dict[str, float]
    entropies: Entropies
    confidence: float

    @classmethod
    def of(cls, terms: dict[str, float], entropies: Entropies, confidence: float) -> Self:
        """Add up the terms.

        Parameters
        ----------
        terms : dict of str to float
            The terms.
        entropies : Entropies
            The entropies behind them.
        confidence : float
            The probability that the entropies are not too low.

        Returns
        -------
        BayesianBound
            The sum.
        """
        bound = cls(sum(terms.values()))
        bound.terms, bound.entropies, bound.confidence = terms, entropies, confidence
        return bound


def bayesian_regret(
    policy: Policy,
    arms: int,
    horizon: int,
    *,
    budget: float | None = None,
    severities: ArrayLike | None = None,
    entropies: str = ESTIMATED,
    draws: int = DRAWS,
    confidence: float = 0.95,
    seed: int = 0,
    reported: float = 1.0,
    delay: int = 0,
    **bounds: Any,
) -> BayesianBound:
    """Bound the regret of `Joint.plain()` or `AnyResponse.plain()`, averaged over problems from its prior.

    Each arm adds the smallest of three bounds, for n amounts, the entropy H of its best amount, and losses Y:

    - √(n/2·H·T);
    - √(2V·H·T), where V is the sum of E[Y²] over the amounts;
    - for steps without a leak, the losses of the threshold search plus √(min(½, 2E[Y₀²])·H₀·T). H₀ is the
      entropy of whether the optimum covers the arm, and Y₀ are the losses without a grant.

    A further term covers rounding errors in the posterior.

    Parameters
    ----------
    policy : Policy
        `Joint.plain()` or `AnyResponse.plain()`, with any parameters.
    arms : int
        The number of arms.
    horizon : int
        T, the number of rounds.
    budget : float, optional
        The amount to split in each round. Without it, every arm may get a full grant, and entropies are the
        largest possible.
    severities : array_like, optional
        The cost of one loss at each arm. Defaults to 1.
    entropies : {"estimated", "largest"}
        Estimate the entropies from draws of the first allocation, or use the largest possible, log n.
    draws : int
        The number of draws.
    confidence : float
        The probability that no estimated entropy is too low.
    seed : int
        The seed of the draws.
    reported : float
        The smallest probability that a report comes.
    delay : int
        The largest number of rounds that a report is late. Reports may be missing or late, not both.
    **bounds
        `least`, `most`, `groups` and `crew`, as in `Policy.start`.

    Returns
    -------
    BayesianBound
        The bound, a float with its terms.

    Raises
    ------
    NotApplicableError
        If the policy is not plain, or the bound does not cover the arguments.

    Examples
    --------
    >>> from allotment.policies.joint import Joint
    >>> round(bayesian_regret(Joint.plain(), arms=8, budget=3.0, horizon=10_000, entropies="largest"))
    867
    """
    horizon, delay = whole("horizon", horizon, least=1), whole("delay", delay, least=0)
    reported = number("reported", reported, "a number above 0 and at most 1", above=0.0, most=1.0)
    if reported < 1.0 and delay > 0:
        raise NotApplicableError(
            f"reported is {reported:g} and delay is {delay}; the bound is for reports that are missing or "
            f"late, and not both"
        )
    check_plain(policy, bounds)
    one_of("entropies", entropies, (ESTIMATED, LARGEST))
    if budget is None:
        budget, entropies = float(whole("arms", arms, least=1)), LARGEST
    setting = Setting(arms, budget, severities, bounds=Bounds(**bounds))
    first = policy.prior_round(setting)  # type: ignore[attr-defined]  # as checked
    if entropies == LARGEST:
        limits = Entropies(np.log(first.amounts), np.full(setting.arms, math.log(2.0)))
        confidence = 1.0
    else:
        learner = policy.start(arms, budget, seed=seed, severities=severities, **bounds)
        allocations = np.zeros((whole("draws", draws, least=2), setting.arms))
        ask_often(learner.state, learner.stream, allocations)
        error = (1.0 - open_unit("confidence", confidence)) / (2 * setting.arms)
        limits = _limits(allocations, first, error)
    slower = (delay + 1) / reported
    search, learning = _best_form(first, limits, horizon * slower)
    by_arm = {
        "search": search * slower,
        "learning": learning * math.exp(first.rounding),  # half of it for the draws, half for the entropies
        "rounding": horizon * math.tanh(0.5 * first.rounding) * _largest_means(first),
    }
    terms = {name: float(setting.severities @ term) for name, term in by_arm.items()}
    return BayesianBound.of(terms, limits, confidence)


def check_plain(policy: Policy, bounds: dict[str, Any]) -> None:
    """Raise an error unless the policy draws once from an exact posterior and acts on the draw."""
    if not isinstance(policy, PosteriorSampling):
        raise NotApplicableError(
            f"{shown(policy)} draws from no posterior; the bound is for Joint.plain() and AnyResponse.plain()"
        )
    kind = type(policy).__name__
    if reason := policy.departure():
        raise NotApplicableError(f"{kind} is not plain: {reason}; the bound is for {kind}.plain()")
    if getattr(policy, "sees", "losses") == "finds" and policy.losses == "counts":  # type: ignore[attr-defined]
        raise NotApplicableError("finds are counted; the bound is for finds that are yes or no")
    if Bounds(**bounds) and not policy.accepts.bounds:
        raise NotApplicableError(
            f"{kind} takes no floors, caps, groups or crews; the bound for it is for the budget alone"
        )
    for name in ("before", "moves"):
        if bounds.get(name) is not None:
            raise NotApplicableError(
                f"{name} is given; the bound is for bounds that are the same in every round"
            )


def _limits(allocations: FloatArray, first: PriorRound, error: float) -> Entropies:
    """The entropies of the first allocation, which is distributed as the best allocation is."""
    columns = list(zip(allocations.T, first.amounts.tolist(), strict=True))
    return Entropies(
        np.array([entropy_limit(column, amounts, error) for column, amounts in columns]),
        np.array([yes_no_limit(column > 0.0, error) for column, _ in columns]),
    )


def _largest_means(first: PriorRound) -> FloatArray:
    """By arm, an upper limit of the expected losses of a round under any grant."""
    return np.minimum(1.0 if first.bounded else math.inf, first.squares[:, 0])


def _best_form(first: PriorRound, limits: Entropies, rounds: float) -> tuple[FloatArray, FloatArray]:
    """By arm, the losses of searching and of learning, in the form with the smallest sum."""
    pinsker = 0.5 if first.bounded else math.inf
    factor = np.minimum(pinsker * first.amounts, 2.0 * first.squares.sum(axis=1))
    learning = np.sqrt(factor * limits.amounts * rounds)
    if first.searched is None:
        return np.zeros_like(learning), learning
    factor = np.minimum(pinsker, 2.0 * first.squares[:, 0])
    known = np.sqrt(factor * limits.covered * rounds)
    steps = first.searched + known < learning
    return np.where(steps, first.searched, 0.0), np.where(steps, known, learning)


@Entry
def ask_often(state, rng, allocations):  # type: ignore[no-untyped-def]
    """Write the allocations of a learner that gets no reports in between."""
    for k in range(allocations.shape[0]):
        ask(state, rng, allocations[k])


def entropy_limit(drawn: FloatArray, values: int, error: float) -> float:
    """An upper limit of the entropy of a draw from `values` values, in nats, wrong with probability `error`.

    >>> round(entropy_limit(np.arange(10_000) % 4, 4, 0.05), 3), round(math.log(4), 3)
    (1.386, 1.386)
    """
    number = drawn.size
    shares = np.unique(drawn, return_counts=True)[1] / number
    observed = -float(shares @ np.log(shares))
    bias = math.log1p((values - 1) / number)
    spread = (1.0 + math.log(number)) * math.sqrt(-0.5 * math.log(error) / number)
    return min(observed + bias + spread, math.log(values))


def yes_no_limit(drawn: FloatArray, error: float) -> float:
    """The same for two values: the largest entropy of a probability that Hoeffding's inequality allows."""
    margin = math.sqrt(-0.5 * math.log(0.5 * error) / drawn.size)
    rarer = float(min(drawn.mean(), 1.0 - drawn.mean()))
    chance = min(rarer + margin, 0.5)
    return -chance * math.log(chance) - (1.0 - chance) * math.log1p(-chance)
