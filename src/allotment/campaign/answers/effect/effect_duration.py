"""How long control rounds take to show an effect, and what they cost until then."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.campaign.answers.effect.effect import APPROXIMATE_FROM
from allotment.campaign.forms.answer import Answer, percent, short
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs
from allotment.campaign.planning.comparison import comparison_units
from allotment.campaign.settings.control import EQUAL, checked_share
from allotment.checks import number, positive

SHARES, EFFECTS = (0.1, 0.25, 0.5), (0.3, 0.5)
LEAST_EFFECT = 0.01  # smaller ones take centuries to show
LEAST_CONTROL_ROUNDS = APPROXIMATE_FROM
LIKELY = 0.84  # the normal quantile of 80 %
FACTOR = 15.0  # (3.03 + 0.84)²: the margin of the approximate interval is 3.03 standard errors
EXACT = (1, 4)  # how many times as long the exact interval takes (docs/studies/effect.md)


class Course(NamedTuple):
    """A share of control rounds and an effect, with the number of rounds until the effect shows."""

    share: float
    effect: float  # the share of losses that plans prevent
    rounds: int
    exact_from: int
    exact_to: int
    cost: float  # losses that control rounds cost in `rounds`


@dataclass(frozen=True)
class Duration(Answer):
    """How many rounds it takes until control rounds show an effect.

    Attributes
    ----------
    losses : float
        The losses of a round under the comparison plan.
    courses : tuple of Course
        By share of control rounds and effect.
    """

    losses: float
    courses: tuple[Course, ...]

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return ("control share", "effect", "rounds", "exact from", "exact to", "losses that control costs")

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per share and effect."""
        return [tuple(each) for each in self.courses]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The same for people."""
        rows: list[Sequence[Any]] = [
            (
                *(percent(each.share), percent(each.effect), each.rounds),
                *(f"{each.exact_from} to {each.exact_to}", short(each.cost)),
            )
            for each in self.courses
        ]
        return ("control rounds", "prevented", "rounds, about", "rounds, exact", "cost in losses"), rows

    def sentences(self) -> list[str]:
        """What the numbers mean."""
        return [
            "After about this many rounds, the effect probably shows. This assumes "
            f"{short(self.losses)} losses a round under the comparison plan.",
            f"The approximate interval appears after {LEAST_CONTROL_ROUNDS} control rounds. The exact "
            f"interval takes {EXACT[0]} to {EXACT[1]} times as long.",
            "Cost: the further losses in control rounds until then.",
        ]


def duration_of(share: Any, effect: Any, losses: Any) -> Duration:
    """How long it takes at usual shares and effects, and at the share and effect given (or None).

    `losses` is the number of losses of a round under the comparison plan.
    """
    losses = positive("losses of a round", losses)
    shares = {*SHARES, *(() if share is None else (float(checked_share(share)),))}
    effects = {*EFFECTS, *(() if effect is None else (_checked_effect(effect),))}
    courses = [_course(rho, delta, losses) for rho in sorted(shares) for delta in sorted(effects)]
    return Duration(losses, tuple(courses))


def _checked_effect(value: Any) -> float:
    expected = f"a share from {LEAST_EFFECT} to below 1, such as 0.3"
    return number("prevented", value, expected, least=LEAST_EFFECT, below=1.0)


def duration_in(inputs: PlanInputs, share: Any = None, prevented: Any = None) -> Duration:
    """How long it takes in a campaign, by what the comparison plan is expected to leave today."""
    settings, bounds = inputs.settings, inputs.bounds()
    control = settings.control
    plan = EQUAL if control is None else control.plan
    evidence = decision.model_evidence(settings, inputs.tallies, bounds.arms)
    learner = decision.fitted(settings, evidence, bounds, inputs.plan)
    expected = decision.expected_of(settings, learner, bounds.arms, inputs.situation)
    compared = comparison_units(
        plan, settings, evidence, expected.severities, bounds, inputs.day, inputs.situation
    )
    if share is None and control is not None:
        share = float(control.share)
    return duration_of(share, prevented, expected.of(compared).losses)


def _course(share: float, effect: float, losses: float) -> Course:
    needed = FACTOR * (1.0 / share + (1.0 - effect) / (1.0 - share)) / (effect**2 * losses)
    rounds = max(_until_it_shows(share), needed)
    least, first, last = (math.ceil(times * rounds) for times in (1, *EXACT))
    return Course(share, effect, least, first, last, least * share * effect * losses)


def _until_it_shows(share: float) -> float:
    """The number of rounds n after which LEAST_CONTROL_ROUNDS are likely.

    It solves nρ - 0.84 √(nρ(1 - ρ)) = LEAST_CONTROL_ROUNDS.
    """
    spread = LIKELY * math.sqrt(1.0 - share)
    root = (spread + math.sqrt(spread**2 + 4.0 * LEAST_CONTROL_ROUNDS)) / 2.0
    return root**2 / share
