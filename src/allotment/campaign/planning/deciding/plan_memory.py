"""Estimates the memory of a campaign's plans and answers from its settings."""

from allotment.campaign.forms.amounts import written
from allotment.campaign.settings.settings import Settings
from allotment.oracles.shares.size import sharing_bytes
from allotment.policies.any_response.bench import learner_memory, posterior_bytes
from allotment.policies.any_response.curve_kinds import standard_sizes
from allotment.policies.any_response.family import may_be_capped
from allotment.system.memory import BASE, refuse_above_limit

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
