"""Plans and their reports as the history leaves them: who was granted what, and what was told of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import IntArray

UNTOLD = -1
WAITING, PARTLY_TOLD, TOLD, CANCELLED = "waiting", "partly told", "told", "cancelled"


class Amounts:
    """Exact amounts, each with a number, so that tables can hold the numbers."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.values: list[Decimal] = []
        self._numbers: dict[Decimal, int] = {}
        for text in texts or ():
            self.number(Decimal(text))

    def number(self, amount: Decimal) -> int:
        """The number of an amount."""
        found = self._numbers.get(amount)
        if found is None:
            found = self._numbers[amount] = len(self.values)
            self.values.append(amount)
        return found


@dataclass
class PlanRecord:
    """One plan: arms (by number), their amounts, and what was told of each: losses, amount, event."""

    number: int
    asked: int  # the event
    day: int
    unit: Decimal
    arms: IntArray
    planned: IntArray  # numbers of amounts
    losses: IntArray
    amounts: IntArray  # told instead of planned
    told: IntArray  # the event that last said something of the arm
    cancelled: bool = False

    @property
    def id(self) -> str:
        """How users name it."""
        return str(self.number)

    @property
    def state(self) -> str:
        """Waiting, partly told, told or cancelled."""
        if self.cancelled:
            return CANCELLED
        reported = int((self.losses != UNTOLD).sum())
        return WAITING if reported == 0 else TOLD if reported == self.arms.size else PARTLY_TOLD

    @property
    def open(self) -> bool:
        """Whether a report is still awaited."""
        return not self.cancelled and bool((self.losses == UNTOLD).any())

    def positions(self, arms: IntArray) -> IntArray:
        """Where arms stand in the plan; -1 where they do not."""
        found = np.searchsorted(self.arms, arms)
        found[found == self.arms.size] = 0
        return np.where(self.arms[found] == arms, found, -1)

    def tell(self, event: int, payload: Mapping[str, Any], names: Mapping[str, int], known: Amounts) -> None:
        """Take in a report that has been checked."""
        for name, text in payload["amounts"].items():
            at = int(self.positions(np.array([names[name]]))[0])
            self.amounts[at], self.told[at] = known.number(Decimal(text)), event
        losses = payload["losses"]
        places = self.positions(np.array([names[name] for name in losses], np.int64))
        if places.size and places.min() < 0:
            raise KeyError("an arm that is not in the plan")
        seen = np.array([UNTOLD if each is None else each for each in losses.values()], np.int64)
        self.losses[places], self.told[places] = seen, event
        self.amounts[places[seen == UNTOLD]] = UNTOLD

    def forget(self) -> None:
        """Take the whole report back."""
        self.losses[:] = self.amounts[:] = UNTOLD
        self.told[:] = 0


def asked(event: int, payload: Mapping[str, Any], names: Mapping[str, int], known: Amounts) -> PlanRecord:
    """The plan that an event tells of."""
    unit = Decimal(payload["unit"])
    units = np.array(payload["units"], np.int64)
    distinct, places = np.unique(units, return_inverse=True)
    numbers = np.array([known.number(units * unit) for units in distinct.tolist()], np.int64)
    arms = np.array([names[name] for name in payload["arms"]], np.int64)
    if arms.size != units.size or (np.diff(arms) <= 0).any():
        raise ValueError("arms and units do not fit")
    nothing = np.full(arms.size, UNTOLD)
    day = date.fromisoformat(payload["date"]).toordinal()
    return PlanRecord(
        int(payload["plan"]),
        event,
        day,
        unit,
        arms,
        numbers[places],
        nothing,
        nothing.copy(),
        np.zeros_like(arms),
    )
