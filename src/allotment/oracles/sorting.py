"""Sorting and selecting by key, in place and without allocation.

An order is an array of items; it is arranged by ascending key. Orders are kept between solves: values that
drift slowly leave an order almost sorted, which both functions below turn into less work.
"""

from allotment.checks import FloatArray, IntArray
from allotment.compiling import kernel

FEW = 24  # so many are sorted faster by insertion
DEPTH = 128  # twice the logarithm of any length that fits in memory


@kernel
def _insert(order: IntArray, key: FloatArray, left: int, right: int) -> None:
    """Sort order[left:right] by insertion."""
    for k in range(left + 1, right):
        item = order[k]
        bar = key[item]
        j = k
        while j > left and key[order[j - 1]] > bar:
            order[j] = order[j - 1]
            j -= 1
        order[j] = item


@kernel
def _partition(order: IntArray, key: FloatArray, left: int, right: int) -> tuple[int, int]:
    """Split order[left:right] into low [left:j], one or no pivot [j:i], and high [i:right]; returns (j, i).

    Equal keys are swapped, so that many of them still split in half.
    """
    first, middle, last = key[order[left]], key[order[(left + right) // 2]], key[order[right - 1]]
    pivot = max(min(first, middle), min(max(first, middle), last))
    i, j = left, right - 1
    while i <= j:
        while key[order[i]] < pivot:
            i += 1
        while key[order[j]] > pivot:
            j -= 1
        if i <= j:
            order[i], order[j] = order[j], order[i]
            i += 1
            j -= 1
    return j + 1, i


@kernel
def sort(order: IntArray, key: FloatArray, count: int, stack: IntArray) -> None:
    """Sort the first `count` of an order; the stack holds at least DEPTH numbers."""
    left, right, depth = 0, count, 0
    while True:
        while right - left > FEW:
            j, i = _partition(order, key, left, right)
            if j - left > right - i:  # the longer part waits, so that the stack stays short
                stack[depth], stack[depth + 1] = left, j
                left = i
            else:
                stack[depth], stack[depth + 1] = i, right
                right = j
            depth += 2
        _insert(order, key, left, right)
        if depth == 0:
            return
        depth -= 2
        left, right = stack[depth], stack[depth + 1]


@kernel
def _room_after(
    order: IntArray, key: FloatArray, units: IntArray, left: int, right: int, room: int
) -> int:
    """The room that order[left:right] leaves; negative as soon as it is too little."""
    for k in range(left, right):
        if key[order[k]] <= 0.0:
            room -= units[order[k]]
            if room < 0:
                break
    return room


@kernel
def find_break(order: IntArray, key: FloatArray, units: IntArray, room: int) -> tuple[int, int]:
    """Arrange an order around its break item, the first that no longer fits; linear time on average.

    Returns the break item's position and the room that the items before it leave. Items with a positive key
    do not count: where all others fit, the position is that of the first such item, or the end.
    """
    left, right = 0, order.size
    while right - left > FEW:
        j, i = _partition(order, key, left, right)
        rest = _room_after(order, key, units, left, j, room)
        if rest < 0:
            right = j
            continue
        room = rest
        rest = _room_after(order, key, units, j, i, room)
        if rest < 0:
            return j, room
        room = rest
        left = i
    _insert(order, key, left, right)
    while left < right:
        item = order[left]
        if key[item] > 0.0 or units[item] > room:
            break
        room -= units[item]
        left += 1
    return left, room


@kernel
def smallest(values: FloatArray, scratch: FloatArray, count: int, rank: int) -> float:
    """The value of this rank, counted from 1, among the first `count`; linear time on average."""
    for k in range(count):
        scratch[k] = values[k]
    left, right = 0, count - 1
    while left < right:
        pivot = scratch[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while scratch[i] < pivot:
                i += 1
            while scratch[j] > pivot:
                j -= 1
            if i <= j:
                scratch[i], scratch[j] = scratch[j], scratch[i]
                i += 1
                j -= 1
        if rank - 1 <= j:
            right = j
        elif rank - 1 >= i:
            left = i
        else:
            break
    return scratch[rank - 1]
