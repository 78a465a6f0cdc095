"""Orders of the day that fit, and how much of the budget they bind."""

from dataclasses import dataclass

from allotment.campaign.amounts import plain
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.campaign.settings import Settings


@dataclass(frozen=True)
class CheckedOrders:
    """Orders and bounds that can be met together. Amounts are in the user's units."""

    budget: int | float
    needed: int | float  # what must be granted, by orders and bounds
    usable: int | float  # all that places may get

    @classmethod
    def of(cls, bounds: PlanBounds, settings: Settings) -> "CheckedOrders":
        """What bounds leave free."""
        unit = settings.unit
        return cls(
            budget=plain(bounds.budget * unit + bounds.rest),
            needed=plain(bounds.needed * unit),
            usable=plain(int(bounds.most.sum()) * unit),
        )

    def __str__(self) -> str:
        if self.usable < self.budget:
            return f"These orders fit, but places can use only {self.usable} of {self.budget}."
        return f"These orders fit: they and the bounds of places bind {self.needed} of {self.budget}."
