"""The break item: where the budget runs out when items are taken by worth per unit."""

from allotment.arrays import IntArray
from allotment.compiling.decorators import kernel
from allotment.oracles.records import Records
from allotment.oracles.selection import SHORT, insert, partition


@kernel
def _room_after(order: IntArray, items: Records, left: int, right: int, room: int) -> int:
    """The room that order[left:right] leaves; negative if some item does not fit, or must not be taken."""
    for k in range(left, right):
        item = items[order[k]]
        room = room - item.units if item.key <= 0.0 else -1
        if room < 0:
            break
    return room


@kernel
def find_break(order: IntArray, items: Records, room: int) -> tuple[int, int]:
    """Arrange an order around its break item, the first that no longer fits; linear time on average.

    Returns the break item's position and the room that the items before it leave. Items with a positive key
    must not be taken: where all others fit, the position is that of the first such item, or the end.
    """
    left, right, keys = 0, order.size, items.key
    while right - left > SHORT:
        j, i = partition(order, keys, left, right)
        rest = _room_after(order, items, left, j, room)
        if rest < 0:
            right = j
            continue
        room = rest
        rest = _room_after(order, items, j, i, room)
        if rest < 0:
            return j, room
        room = rest
        left = i
    insert(order, keys, left, right)
    while left < right:
        item = order[left]
        if items[item].key > 0.0 or items[item].units > room:
            break
        room -= items[item].units
        left += 1
    return left, room
