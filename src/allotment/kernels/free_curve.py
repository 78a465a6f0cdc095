"""The free curve: every amount has its own loss rate, and a larger amount never has a higher one."""

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel

SURE = 1e12  # the weight of a value that nothing may change


@kernel
def make_falling(values: FloatArray, weights: FloatArray, sizes: FloatArray) -> None:
    """Replace the values by the nearest never-rising values, in weighted squares (pool adjacent violators).

    Overwrites `weights` and `sizes`, too.
    """
    last = -1
    for i in range(values.size):
        value, weight, size = values[i], weights[i], 1.0
        while last >= 0 and values[last] < value:
            together = weights[last] + weight
            value = (values[last] * weights[last] + value * weight) / together
            weight, size = together, size + sizes[last]
            last -= 1
        last += 1
        values[last], weights[last], sizes[last] = value, weight, size
    end = values.size
    while last >= 0:
        value, size = values[last], int(sizes[last])
        for i in range(end - size, end):
            values[i] = value
        end -= size
        last -= 1


@kernel
def prevented(curve: FloatArray, weights: FloatArray, sizes: FloatArray, finds: bool) -> float:
    """Turn observed rates (finds with a minus) into prevented losses at every amount; return the loss rate.

    Finds do not show the losses that no grant prevents, so these count as 0.
    """
    if finds:
        curve[0], weights[0] = 0.0, SURE  # nothing is found without a grant
    make_falling(curve, weights, sizes)
    top = curve[0]
    for u in range(curve.size):
        curve[u] = top - curve[u]
    return curve[curve.size - 1] if finds else top
