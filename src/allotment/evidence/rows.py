"""The rows of evidence, and what a row must be."""

from typing import Any, NamedTuple

from allotment.checks import LARGEST_COUNT, number, whole
from allotment.errors import InputError

DIGITS = 12  # amounts closer than the tolerance are the same amount


class Row(NamedTuple):
    """The rounds and losses of an arm at one amount. Aged evidence has fractions of both."""

    arm: int
    amount: float
    rounds: float
    losses: float


class SituatedRow(NamedTuple):
    """The rounds and losses of an arm at one amount in one situation."""

    arm: int
    amount: float
    rounds: float
    losses: float
    situation: int


def checked_row(which: str, row: Any, arms: int, situations: int, losses: str) -> SituatedRow:
    """A row in normal form; a row that names no situation is of situation 0."""
    try:
        arm, amount, rounds, lost, *rest = row
        (situation,) = rest or (0,)
    except (TypeError, ValueError):
        fields = "(arm, amount, rounds, losses)" + " or with the situation" * (situations > 1)
        raise InputError.of(which, row, fields) from None
    name = f"of {which}"
    situation = whole(f"the situation {name}", situation, least=0)
    if situation >= situations:
        raise InputError.of(f"the situation {name}", situation, f"less than situations={situations}")
    arm = whole(f"the arm {name}", arm, least=0, most=arms - 1)
    amount = number(f"the amount {name}", amount, "a number from 0 to 1", least=0.0, most=1.0)
    rounds, lost = (
        number(
            each,
            value,
            f"a finite number of at least 0 and at most {LARGEST_COUNT:.0e}",
            least=0.0,
            most=LARGEST_COUNT,
        )
        for each, value in ((f"the rounds {name}", rounds), (f"the losses {name}", lost))
    )
    if losses == "binary" and lost > rounds:
        raise InputError(
            f"the losses {name} are {lost:g} in {rounds:g} rounds",
            "at most one a round",
            what="losses",
            value=lost,
        )
    if rounds == 0.0 and lost > 0.0:
        raise InputError.of(f"the rounds {name}", rounds, "more than 0, since there were losses")
    return SituatedRow(arm, round(amount, DIGITS), rounds, lost, situation)
