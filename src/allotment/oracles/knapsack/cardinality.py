"""A second price, for every item chosen, from how many items a better choice can have.

Where heavy items are worth about their weight plus or minus a constant, the bound with one item split is
poor: it would like to take half an item more than can be had. No choice has more items than the lightest
ones that fit together; no choice beats the incumbent with fewer items than the most valuable ones that
outdo it. If the split solution violates one of these, a price μ on items mends the bound.
"""

from allotment.compiling.decorators import kernel
from allotment.oracles.knapsack.core import EXCLUDED, find_break, set_keys
from allotment.oracles.knapsack.workspace import ExactKnapsack
from allotment.oracles.selection import sort

HALVINGS = 52


@kernel
def _break_size(oracle: ExactKnapsack, item_price: float) -> int:
    set_keys(oracle.items, item_price)
    return find_break(oracle.order, oracle.items, oracle.room[0])[0]


@kernel
def _most(oracle: ExactKnapsack) -> int:
    """How many items fit together."""
    for i in range(oracle.items.size):
        item = oracle.items[i]
        item.key = -item.inverse if item.worth > 0.0 else EXCLUDED
    return find_break(oracle.order, oracle.items, oracle.room[0])[0]


@kernel
def _least(oracle: ExactKnapsack, incumbent: float) -> int:
    """How many items it takes to be worth more than the incumbent."""
    items, shortlist = oracle.items, oracle.shortlist
    for i in range(items.size):
        items[i].key = -items[i].worth
        shortlist[i] = i
    sort(shortlist, items.key, items.size)
    count, total = 0, 0.0
    while count < items.size and total <= incumbent:
        total += items[shortlist[count]].worth
        count += 1
    return count


@kernel
def price_of_items(oracle: ExactKnapsack, incumbent: float) -> tuple[float, int]:
    """The price μ and the number of items that it belongs to; a price of 0 if there is nothing to mend."""
    size = _break_size(oracle, 0.0)
    low, high, limit = 0.0, 1.0, _most(oracle)
    if limit > size:
        limit = _least(oracle, incumbent)
        if limit <= size:
            return 0.0, 0
        low, high = -1.0, 0.0
        while _break_size(oracle, low) < limit:
            low, high = 2.0 * low, low
            if low < -1e9:
                return 0.0, 0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _break_size(oracle, middle) >= limit:
            low = middle
        else:
            high = middle
    return low, limit
