"""Selecting and sorting by key, in place and without allocation.

An order is an array of positions; it is arranged by ascending key. Orders are kept between solves: keys that
drift slowly leave an order almost sorted, which the functions below turn into less work.
"""

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import inlined, kernel

SHORT = 24  # up to this many, insertion sorts faster
DEPTH = 128  # places that sorting needs: twice the logarithm of any length


@inlined
def insert(order: IntArray, keys: FloatArray, left: int, right: int) -> None:
    """Sort order[left:right] by insertion."""
    for k in range(left + 1, right):
        position = order[k]
        bar = keys[position]
        j = k
        while j > left and keys[order[j - 1]] > bar:
            order[j] = order[j - 1]
            j -= 1
        order[j] = position


@inlined
def partition(order: IntArray, keys: FloatArray, left: int, right: int) -> tuple[int, int]:
    """Split order[left:right] into low [left:j], one or no pivot [j:i], and high [i:right]; returns (j, i).

    The pivot is the middle one of three. Equal keys are swapped, so that many of them still split in half.
    """
    first, middle, last = keys[order[left]], keys[order[(left + right) // 2]], keys[order[right - 1]]
    pivot = max(min(first, middle), min(max(first, middle), last))
    i, j = left, right - 1
    while i <= j:
        while keys[order[i]] < pivot:
            i += 1
        while keys[order[j]] > pivot:
            j -= 1
        if i <= j:
            order[i], order[j] = order[j], order[i]
            i += 1
            j -= 1
    return j + 1, i


@kernel
def select(order: IntArray, keys: FloatArray, count: int, rank: int) -> float:
    """The key of this rank, counted from 1, among the first `count` of an order; linear time on average."""
    left, right, target = 0, count, rank - 1
    while right - left > SHORT:
        j, i = partition(order, keys, left, right)
        if target < j:
            right = j
        elif target >= i:
            left = i
        else:
            return keys[order[target]]
    insert(order, keys, left, right)
    return keys[order[target]]


@kernel
def sort(order: IntArray, keys: FloatArray, count: int) -> None:
    """Sort the first `count` of an order, whose last DEPTH places are free to use."""
    bottom = order.size - DEPTH
    left, right, depth = 0, count, bottom
    while True:
        while right - left > SHORT:
            j, i = partition(order, keys, left, right)
            if j - left > right - i:  # the longer part waits, so that the stack stays short
                order[depth], order[depth + 1] = left, j
                left = i
            else:
                order[depth], order[depth + 1] = i, right
                right = j
            depth += 2
        insert(order, keys, left, right)
        if depth == bottom:
            return
        depth -= 2
        left, right = order[depth], order[depth + 1]
