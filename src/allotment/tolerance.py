"""The one tolerance, and the comparisons made with it.

Binary floating point cannot write 0.7, so 0.7 + 0.7 + 0.6 need not be 2 and 2.1 / 0.7 need not be 3.
Everything that compares an amount with a threshold or a total with a budget uses these functions, so that
simulator, oracle, candidate set and planner agree on what covers and what fits. The slack is spent once per
allocation: a running total is compared with the budget plus one slack, however many steps led there.

The functions are plain Python, fit for scalars and arrays; compiled code uses `kernel(covers)` and so on.
"""

import math
from typing import Any

RELATIVE = 1e-12
EVIDENCE_SLACK = RELATIVE  # of amounts in evidence, which knows no budget


def slack_of(budget: float) -> float:
    """How far a comparison may be off at this budget: 1e-12 · max(1, Q)."""
    return RELATIVE * max(1.0, budget)


def covers(grant: Any, threshold: Any, slack: float) -> Any:
    """Whether a grant prevents the loss: an allocation equal to the threshold does."""
    return grant >= threshold - slack


def fits(amount: Any, room: float, slack: float) -> Any:
    """Whether an amount fits what is left of the budget."""
    return amount <= room + slack


def ceil_with_tolerance(ratio: float) -> int:
    """⌈x⌉ of a computed ratio: 1/γ may come out as 100.0000000000004 where it is 100.

    >>> ceil_with_tolerance(0.7 * 10.0), ceil_with_tolerance(2.1 / 0.7), ceil_with_tolerance(3.1)
    (7, 3, 4)
    """
    return math.ceil(ratio - RELATIVE * max(1.0, abs(ratio)))


def floor_with_tolerance(ratio: float) -> int:
    """⌊x⌋ of a computed ratio: 0.29 · 100 comes out as 28.999999999999996.

    >>> floor_with_tolerance(0.29 * 100.0), floor_with_tolerance(2.1 / 0.7), floor_with_tolerance(3.9)
    (29, 3, 3)
    """
    return math.floor(ratio + RELATIVE * max(1.0, abs(ratio)))


def how_many_fit(amount: float, budget: float, slack: float) -> int:
    """How often an amount can be granted from the budget: ⌊Q / θ⌋, so that ⌊7 / 0.7⌋ is 10.

    >>> how_many_fit(0.7, 2.1, slack_of(2.1))
    3
    """
    return math.floor((budget + slack) / amount)
