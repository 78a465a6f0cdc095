"""The limits of the trial as data, set before it is run."""

from dataclasses import asdict, dataclass
from typing import Any

from studies.any_response.trial import worlds
from studies.any_response.trial.contestants import PAIRS, RULE, SIMPLE

OLD = "AnyResponse 0.2.0.dev1"
WITH_TODAYS_FAMILY = ("step", "leak", "linear", "logistic", "exponential", "mixed")
PEER = "Xu et al., finds"
UNSEEN = "unseen"  # stands for the names of the unseen worlds


@dataclass(frozen=True)
class Limit:
    """The rule's mean in a world, or its ratio to the best of others, is at most a number."""

    name: str
    worlds: tuple[str, ...]
    denominators: tuple[str, ...]  # the one with the lowest mean counts; empty: the mean itself is limited
    at_most: float
    goal: float | None = None
    together: bool = False  # the geometric mean over worlds instead of each world
    numerator: str = RULE

    def to_dict(self) -> dict[str, Any]:
        """The limit as plain data."""
        return asdict(self)

    def world_names(self) -> tuple[str, ...]:
        """The names of its worlds, the unseen ones included."""
        unseen = tuple(world.name for world in worlds.unseen_worlds())
        fixed = tuple(name for name in self.worlds if name != UNSEEN)
        return fixed + unseen if UNSEEN in self.worlds else fixed


EVERY = (*(world.name for world in worlds.FIXED if not world.daily), UNSEEN)
DAILY = tuple(world.name for world in worlds.FIXED if world.daily)
LEAKING = tuple(world.name for world in worlds.FIXED if world.leaks)

LIMITS = (
    Limit("regret over the best simple policy", EVERY, SIMPLE, at_most=2.4, goal=1.5),
    Limit("losses in daily use over the best simple policy", DAILY, SIMPLE, at_most=1.08, goal=1.05),
    Limit("regret over the best policy on pairs", LEAKING, PAIRS, at_most=0.8),
    Limit("regret over 0.2.0.dev1, together", WITH_TODAYS_FAMILY, (OLD,), at_most=1.05, together=True),
    Limit("regret over 0.2.0.dev1, each world", WITH_TODAYS_FAMILY, (OLD,), at_most=1.15),
    Limit("finds lost", (PEER,), (), at_most=300.0),
)
