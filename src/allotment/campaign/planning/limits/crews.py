"""Crews: the totals that arms can make, and the crews that a limit of moves excludes."""

from allotment.arrays import IntArray
from allotment.campaign.forms.amounts import count_of, listed, units_within
from allotment.campaign.settings.settings import Settings


def ruled_out_by_moves(settings: Settings) -> list[str]:
    """A sentence if a limit of moves keeps places from ever getting their crew again; else nothing.

    A place that has nothing gains its whole crew at once. A place with a least never has nothing.
    """
    arms = [settings.arms[number] for number in settings.active]
    crews = {arm.name: units_within(arm.crew, settings.unit) for arm in arms if not arm.least}
    large = {name: crew for name, crew in crews.items() if crew > (settings.moves or 0)}
    if settings.moves is None or not large:
        return []
    who, crew = ("its", "crew") if len(large) == 1 else ("their", "crews")
    limit, enough = count_of(settings.moves, "move"), count_of(max(large.values()), "move")
    return [
        f"With a limit of {limit}, {listed(large)} cannot get {who} {crew} after a plan with nothing there. "
        f"Allow {enough}, or lower the {crew}."
    ]


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
    """The sums, and every number at most `further` above one of them."""
    done = 0
    while done < further:
        step = min(done + 1, further - done)
        sums |= sums << step
        done += step
    return sums
