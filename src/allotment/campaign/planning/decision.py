"""The decision: the posterior of every arm's response, the policy's draw from it, and the memory it takes."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import units_to_reach, written
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning.expectations import Expectations
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.campaign.settings.campaign_policy import policy_named
from allotment.campaign.settings.settings import Settings
from allotment.errors import AllotmentError
from allotment.evidence import Evidence
from allotment.oracles.shares.size import sharing_bytes
from allotment.policies.any_response.bench import learner_memory, posterior_bytes
from allotment.policies.any_response.curve_kinds import standard_sizes
from allotment.policies.any_response.family import may_be_capped
from allotment.policies.any_response.precision import Precision
from allotment.policies.any_response.tuning import PLANNING, READ_LIKENESS, SIMULATING
from allotment.randomness.streams import policy_stream
from allotment.system.memory import BASE, refuse_above_limit

if TYPE_CHECKING:
    from allotment.policies.any_response.posterior import ResponsePosterior
    from allotment.policies.base.learner import Learner


def model_evidence(settings: Settings, tallies: list[AmountTally], arms: tuple[int, ...]) -> Evidence:
    """The evidence of some arms in the model's amounts: 1 is the scale, and whatever was above it."""
    place = {arm: position for position, arm in enumerate(arms)}
    scale = settings.model_scale
    rows = [
        (place[each.arm], min(float(each.amount / scale), 1.0), each.rounds, each.losses, each.situation)
        for each in tallies
        if each.arm in place
    ]
    situations = len(settings.situations.numbers)
    return Evidence(len(arms), rows, sees=settings.sees, losses=settings.losses, situations=situations)


def _thresholds(settings: Settings, arms: tuple[int, ...]) -> list[float | None] | None:
    """Known thresholds in the model's amounts, up to whole units; None where there is none."""
    known = [settings.arms[arm].threshold for arm in arms]
    if all(each is None for each in known):
        return None
    return [None if each is None else units_to_reach(each, settings.unit) / settings.steps for each in known]


def severities_of(settings: Settings, arms: tuple[int, ...]) -> FloatArray:
    """What one loss costs at each of some arms."""
    return np.array([float(settings.arms[arm].severity) for arm in arms])


def posterior_of(
    settings: Settings, evidence: Evidence, arms: tuple[int, ...], situation: int = 0
) -> "ResponsePosterior":
    """What the evidence says of the response of each of some arms in a situation.

    It raises an error if that takes too much memory.
    """
    refuse_if_too_large(settings)
    from allotment.policies.any_response.posterior import ResponsePosterior

    policy = policy_named(settings.policy)
    return ResponsePosterior(
        evidence,
        situation=situation,
        unit=1.0 / settings.steps,
        thresholds=_thresholds(settings, arms),
        likeness=None if policy.likeness is None else max(policy.likeness, READ_LIKENESS),
        free=policy.free,
        rates=policy.rates,
    )


def started(
    settings: Settings,
    evidence: Evidence,
    bounds: PlanBounds,
    stream: np.random.Generator,
    precision: Precision = SIMULATING,
) -> "Learner":
    """The policy, ready to be asked, within the bounds and with what is known."""
    from allotment.policies.base.learner import Learner
    from allotment.policies.base.policy import Bounds, Setting

    steps, arms = settings.steps, bounds.arms
    policy = replace(
        policy_named(settings.policy),
        unit=1.0 / steps,
        sees=settings.sees,
        losses=settings.losses,
        thresholds=_thresholds(settings, arms),
        situations=len(settings.situations.numbers),
    )
    groups: dict[str, Any] = {
        name: (members.tolist(), least / steps, None if most is None else most / steps)
        for name, (members, least, most) in bounds.groups.items()
    }
    within = Bounds(bounds.least / steps, bounds.most / steps, groups or None)
    setting = Setting(len(arms), bounds.budget / steps, severities_of(settings, arms), None, within)
    return Learner(policy, policy.informed(setting, evidence, precision), len(arms), stream)


def fitted(settings: Settings, evidence: Evidence, bounds: PlanBounds, plan: int) -> "Learner":
    """The policy for one plan; an error if it takes too much memory."""
    refuse_if_too_large(settings)
    return started(settings, evidence, bounds, policy_stream(settings.seed, plan), PLANNING)


def expected_of(
    settings: Settings, learner: "Learner", arms: tuple[int, ...], situation: int = 0
) -> Expectations:
    """What is expected of a round at each amount, in units; by arm."""
    if settings.situations.several:
        from allotment.kernels.protocol import enter

        enter(learner.state, situation)
    found = learner.policy.summary(learner.state)
    severities = severities_of(settings, arms)
    return Expectations(found.losses, found.variances, severities, found.find_variances)


def drawn_units(
    settings: Settings, learner: "Learner", bounds: PlanBounds, situation: int = 0, *, narrower: bool = False
) -> IntArray:
    """What the policy grants in a plan, in whole units: the best for a few draws of every response.

    `narrower` says that the policy was started within wider bounds than these.
    """
    units = np.rint(learner.ask(situation) * settings.steps).astype(np.int64)
    if bounds.beyond_policy or narrower:
        # The values that were drawn stay in the learner's state, to be shared out under further limits.
        units = bounds.share_out(learner.state.values)
    if broken := bounds.broken_by(units):
        raise AllotmentError(f"the policy's plan breaks {broken}; nothing was written")
    return units


def learn(
    settings: Settings,
    learner: "Learner",
    bounds: PlanBounds,
    units: IntArray,
    losses: FloatArray,
    *,
    narrower: bool = False,
) -> None:
    """Tell the policy the losses of its last plan, in whole units; `narrower` as in `drawn_units`."""
    learner.tell(losses, units / settings.steps if bounds.beyond_policy or narrower else None)


# Draws of all curves that an answer holds: at least, at most, and the numbers in them in between.
LEAST_DRAWS, MOST_DRAWS, NUMBERS = 200, 400, 20_000_000
WORLDS = 100  # that a forecast draws for each situation, at most


def memory_of(settings: Settings) -> float:
    """Bytes that a plan, a status, a frontier or a forecast takes at most, however long the history grows."""
    arms, units = len(settings.active), settings.steps
    counts, finds = settings.losses == "counts", settings.sees == "finds"
    situations = len(settings.situations.numbers)
    sizes = standard_sizes(units, may_be_capped(settings.losses, settings.sees, situations))
    sharing = sharing_bytes(units, arms, groups=bool(settings.groups))
    learner = learner_memory(sizes, units, arms, counts=counts, finds=finds, situations=situations)
    posterior = posterior_bytes(sizes, units, arms, counts=counts, situations=situations)
    curves = arms * (units + 1)
    draws = 8 * max(LEAST_DRAWS * curves, min(MOST_DRAWS * curves, NUMBERS), situations * WORLDS * curves)
    # A forecast copies a learner, after the posterior is gone.
    return BASE + learner.shared + max(posterior, 2 * learner.each) + 2 * sharing + draws


def refuse_if_too_large(settings: Settings) -> None:
    """Raise an error if plans would take more memory than the limit."""
    places, unit = len(settings.active), written(settings.unit)
    refuse_above_limit(
        f"planning for {places} places in {settings.steps} steps of {unit}",
        memory_of(settings),
        "a larger unit, fewer places",
    )
