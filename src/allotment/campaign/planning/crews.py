"""What arms can add up to when each gets nothing or at least its crew."""

from allotment.arrays import IntArray


def fewest_units(least: IntArray, most: IntArray, crew: IntArray, floor: int, cap: int | None) -> int | None:
    """The fewest units, from floor to cap, that arms can get together; None if there is no such number."""
    free = (crew > 0) & (least == 0)
    base, room = int(least.sum()), int((most - least)[~free].sum())
    sums = 1  # bit n is set if the arms that may also get nothing can get n units together
    for need, top in zip(crew[free].tolist(), most[free].tolist(), strict=True):
        sums |= _spread(sums << need, top - need)
    short = max(floor - base - room, 0)
    enough = sums >> short
    if not enough:
        return None
    fewest = short + (enough & -enough).bit_length() - 1
    found = max(floor, base + fewest)
    return found if cap is None or found <= cap else None


def _spread(sums: int, further: int) -> int:
    """Sums, and every number that is at most so much above one of them."""
    done = 0
    while done < further:
        step = min(done + 1, further - done)
        sums |= sums << step
        done += step
    return sums
