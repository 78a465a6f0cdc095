"""Sorting and selecting by key, in place and without allocation.

An order is an array of items; it is arranged by ascending key. Orders are kept between solves: values that
drift slowly leave an order almost sorted, which both functions below turn into less work.
"""

from allotment.arrays import IntArray
from allotment.compiling import kernel
from allotment.oracles.knapsack.workspace import DEPTH, Records

FEW = 24  # so many are sorted faster by insertion


@kernel
def _insert(order: IntArray, items: Records, left: int, right: int) -> None:
    """Sort order[left:right] by insertion."""
    for k in range(left + 1, right):
        item = order[k]
        bar = items[item].key
        j = k
        while j > left and items[order[j - 1]].key > bar:
            order[j] = order[j - 1]
            j -= 1
        order[j] = item


@kernel
def _partition(order: IntArray, items: Records, left: int, right: int) -> tuple[int, int]:
    """Split order[left:right] into low [left:j], one or no pivot [j:i], and high [i:right]; returns (j, i).

    Equal keys are swapped, so that many of them still split in half.
    """
    first, middle, last = (
        items[order[left]].key,
        items[order[(left + right) // 2]].key,
        items[order[right - 1]].key,
    )
    pivot = max(min(first, middle), min(max(first, middle), last))
    i, j = left, right - 1
    while i <= j:
        while items[order[i]].key < pivot:
            i += 1
        while items[order[j]].key > pivot:
            j -= 1
        if i <= j:
            order[i], order[j] = order[j], order[i]
            i += 1
            j -= 1
    return j + 1, i


@kernel
def sort(order: IntArray, items: Records, count: int) -> None:
    """Sort the first `count` of an order, whose last DEPTH places are free to use."""
    bottom = order.size - DEPTH
    left, right, depth = 0, count, bottom
    while True:
        while right - left > FEW:
            j, i = _partition(order, items, left, right)
            if j - left > right - i:  # the longer part waits, so that the stack stays short
                order[depth], order[depth + 1] = left, j
                left = i
            else:
                order[depth], order[depth + 1] = i, right
                right = j
            depth += 2
        _insert(order, items, left, right)
        if depth == bottom:
            return
        depth -= 2
        left, right = order[depth], order[depth + 1]


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
    left, right = 0, order.size
    while right - left > FEW:
        j, i = _partition(order, items, left, right)
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
    _insert(order, items, left, right)
    while left < right:
        item = order[left]
        if items[item].key > 0.0 or items[item].units > room:
            break
        room -= items[item].units
        left += 1
    return left, room
