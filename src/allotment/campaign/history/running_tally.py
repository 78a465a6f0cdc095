"""Evidence that follows a history: a new report costs as much as its plan, however long the history is."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from allotment.campaign.history.ledger import AmountTally, SeenRows, in_order
from allotment.campaign.history.plan_records import Amounts

Place = tuple[int, int, int]  # arm, situation and amount, by their numbers


@dataclass
class _Sum:
    """Rows of an arm, a situation and an amount.

    Their rounds are added up exactly, so that rows can be taken out again.
    """

    rows: int = 0
    rounds: Fraction = Fraction(0)
    losses: int = 0


class RunningTally:
    """What `tallied` gives without a half-life, bit for bit, kept up to date."""

    def __init__(self, rows: SeenRows) -> None:
        self._sums: dict[Place, _Sum] = {}
        self.add(rows)

    def add(self, rows: SeenRows) -> None:
        """Count rows."""
        for key, many, rounds, losses in _added_up(rows):
            found = self._sums.setdefault(key, _Sum())
            found.rows += many
            found.rounds += rounds
            found.losses += losses

    def remove(self, rows: SeenRows) -> None:
        """Count rows no longer."""
        for key, many, rounds, losses in _added_up(rows):
            found = self._sums[key]
            found.rows -= many
            found.rounds -= rounds
            found.losses -= losses
            if not found.rows:
                del self._sums[key]

    def tallies(self, known: Amounts) -> list[AmountTally]:
        """Rounds and losses by arm, situation and amount, in that order."""
        return in_order(
            AmountTally(arm, known.values[amount], float(found.rounds), float(found.losses), situation)
            for (arm, situation, amount), found in self._sums.items()
        )


def _added_up(rows: SeenRows) -> Iterator[tuple[Place, int, Fraction, int]]:
    """Where rows count, how many, their rounds and losses; once for each number of rounds that a row has."""
    if not len(rows):
        return
    exposures, exposure = np.unique(rows.rounds, return_inverse=True)
    width = int(rows.amount.max()) + 1
    many_situations = int(rows.situation.max()) + 1
    places = (rows.arm * many_situations + rows.situation) * width + rows.amount
    keys = places * exposures.size + exposure
    distinct, inverse = np.unique(keys, return_inverse=True)
    many = np.bincount(inverse).tolist()
    losses = np.bincount(inverse, rows.losses).tolist()
    exact = [Fraction(each) for each in exposures.tolist()]
    for key, count, lost in zip(distinct.tolist(), many, losses, strict=True):
        place, at = divmod(key, exposures.size)
        round_of, amount = divmod(place, width)
        yield (*divmod(round_of, many_situations), amount), count, count * exact[at], int(lost)
