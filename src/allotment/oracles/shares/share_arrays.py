"""The memory of the allocator: made once for a number of arms and units, used by every solve.

Arms lie side by side in lanes, so that one instruction works on several of them. The table consists of blocks
of at most LANES arms, with one row per amount. A part is a run of blocks: first the arms in no group, then
the arms of each group.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import allocating, kernel
from allotment.oracles.protocol import Records, records
from allotment.oracles.selection import DEPTH
from allotment.oracles.shares.crews import meet_floor

LANES = 64  # arms in a block, at most
STRIDE = 4  # blocks hold a multiple of this, and loops take this many amounts at a time
WIDTH = 8  # rows of costs are padded to a multiple of this
NO_LIMIT = 1 << 60

PART = np.dtype(
    [
        ("first", "i8"),  # its blocks: from this
        ("end", "i8"),  # to before this
        ("least", "i8"),  # the units that its arms get together
        ("most", "i8"),
        ("floor", "i8"),  # the units that its arms can get at least, by their own limits
        ("roof", "i8"),  # and at most
        ("cap_price", "f8"),  # the price of a unit at which its arms take what they may get at most,
        ("cap_worth", "f8"),  # and what they are worth then
        ("floor_price", "f8"),  # the price at which they take what they must get at least,
        ("floor_worth", "f8"),  # and what they are worth then
        ("price", "f8"),  # the price that counts in this solve
        ("taken", "i8"),  # the units taken at this price
        ("cost", "f8"),  # what keeping to the limits costs at least
        ("detour", "i8"),  # units on top of those taken, in the cheapest way to keep to the limits
    ]
)
ELEMENT = np.dtype(
    [
        ("key", "f8"),  # what another choice than the best costs at least
        ("who", "i8"),  # a lane, or minus a part
        ("first", "i8"),  # its candidates: from this
        ("end", "i8"),  # to before this
        ("down", "i8"),  # how many units a candidate takes back at most
        ("up", "i8"),  # or adds at most
    ]
)
CANDIDATE = np.dtype(
    [("shift", "i8"), ("cost", "f8")]
)  # units more than in the best choice, and what it costs
LAYER = np.dtype(
    [
        ("start", "i8"),  # where its row begins
        ("low", "i8"),  # the shift that the row begins with
        ("width", "i8"),
        ("down", "i8"),  # what the elements after it can still take back
        ("up", "i8"),  # or add
        ("drain", "f8"),  # what a unit taken back costs at least,
        ("refill", "f8"),  # and a unit added
    ]
)


class Chain(NamedTuple):
    """Elements to decide on one after the other, and the rows of costs that this takes."""

    elements: Records
    order: IntArray  # elements by key, and room for sorting
    candidates: Records
    layers: Records
    rows: FloatArray
    effort: IntArray  # one number: how many cells may still be looked at


class PriceLanes(NamedTuple):
    """The arms, lane by lane, and what they choose at a price."""

    blocks: IntArray  # the lane that each block begins with, and where the last ends
    table: FloatArray  # values by block, units and lane; -inf outside the limits
    best: FloatArray  # by lane: the highest value after paying the price,
    taken: FloatArray  # the units that have it,
    second: FloatArray  # the highest value with any other number of units,
    reach: FloatArray  # and the highest value, before paying, that alone makes all arms fit the budget


class Allocator(NamedTuple):
    """Workspace of the exact allocation in whole units."""

    budget: IntArray  # one number
    unproved: IntArray  # one number: how many solves ended without a proof
    parts: Records
    arms: IntArray  # the arm of each lane; -1 for padding
    least: IntArray  # the limits of each lane
    most: IntArray
    crew: IntArray  # a lane gets nothing or at least this
    enough: IntArray  # some allocation within all limits: what is left if memory or time ends a search
    lanes: PriceLanes
    outer: Chain  # of arms in no group, and of groups
    inner: Chain  # of the arms of one group


@allocating
def chain(elements: int, candidates: int, cells: int) -> Chain:
    """Make memory to decide on `elements` elements."""
    return Chain(
        records(elements + 1, ELEMENT),
        np.zeros(elements + DEPTH + 1, np.int64),
        records(candidates + 1, CANDIDATE),
        records(elements + 2, LAYER),
        np.empty(cells),
        np.full(1, NO_LIMIT),
    )


@kernel
def blocks_of(members: int) -> int:
    """The number of blocks that `members` arms take."""
    return (members + LANES - 1) // LANES


@allocating
def allocator(
    columns: int, budget: int, least: IntArray, most: IntArray, group: IntArray, limits: IntArray, cells: int
) -> Allocator:
    """Make an allocator for arms with these limits; `group` is the group of each arm, or -1.

    `columns` is one more than the highest amount in a table of values. `limits` has a row (least, most) for
    every group. The allocator uses at most `cells` cells. The limits must fit together.
    """
    return crew_allocator(columns, budget, (least, most, np.zeros_like(least)), group, limits, cells)


@allocating
def crew_allocator(
    columns: int,
    budget: int,
    of_arms: tuple[IntArray, IntArray, IntArray],
    group: IntArray,
    limits: IntArray,
    cells: int,
) -> Allocator:
    """An allocator for arms with a least, a most and a crew each.

    The least of an arm is 0 or at least its crew. With crews, not every total of a group can be made: its
    least becomes the next one that can, and whether that is still within its most is for the caller to see.
    """
    least, most, crew = of_arms
    arms, groups = least.size, limits.shape[0]
    rows = 1 + max(1, (columns - 1 + STRIDE - 1) // STRIDE) * STRIDE
    sizes = np.zeros(groups + 1, np.int64)
    for i in range(arms):
        sizes[group[i] + 1] += 1
    lanes, count = 0, 0
    for size in sizes:
        lanes += (size + STRIDE - 1) // STRIDE * STRIDE
        count += blocks_of(size)
    parts, blocks = records(groups + 1, PART), np.zeros(count + 1, np.int64)
    arm_of_lane = np.full(lanes, -1)
    lane, block = 0, 0
    for g in range(groups + 1):
        part, left = parts[g], sizes[g]
        part.least, part.most = (limits[g - 1, 0], limits[g - 1, 1]) if g > 0 else (0, NO_LIMIT)
        part.first, part.end, part.floor, part.roof = block, block + blocks_of(left), 0, 0
        sizes[g] = lane  # from here on: the next free lane
        while left > 0:
            blocks[block] = lane
            lane += (min(left, LANES) + STRIDE - 1) // STRIDE * STRIDE
            block, left = block + 1, left - LANES
    blocks[count] = lane
    floors, caps = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    crews, enough = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    for i in range(arms):
        lane = sizes[group[i] + 1]
        sizes[group[i] + 1] += 1
        arm_of_lane[lane] = i
        floors[lane], caps[lane], crews[lane] = least[i], min(most[i], columns - 1, budget), crew[i]
        if caps[lane] < crews[lane]:
            caps[lane] = 0
        parts[group[i] + 1].floor += floors[lane]
        parts[group[i] + 1].roof += caps[lane]
    inner_most = 0
    for g in range(groups + 1):
        part = parts[g]
        part.least, part.most = max(part.least, part.floor), min(part.most, part.roof)
        first, end = blocks[part.first], blocks[part.end]
        part.least = part.floor + meet_floor(floors, caps, crews, enough, first, end, part.least - part.floor)
        if g > 0:
            inner_most = max(inner_most, part.most - part.floor)
    # Enough for every row of every element, at most as wide as what there is to spend; or what is allowed.
    choices, spare = arms * columns, columns + 4 * WIDTH
    outer_cells = min((arms + groups + 2) * (min(budget, parts.roof.sum()) + spare) + 3 * choices, cells)
    inner_cells = min((arms + 2) * (inner_most + spare) + 3 * choices, cells) if groups > 0 else WIDTH
    return Allocator(
        budget=np.full(1, budget),
        unproved=np.zeros(1, np.int64),
        parts=parts,
        arms=arm_of_lane,
        least=floors,
        most=caps,
        crew=crews,
        enough=enough,
        lanes=PriceLanes(
            blocks,
            np.full(lanes * rows, -np.inf),
            np.zeros(lanes),
            np.zeros(lanes),
            np.zeros(lanes),
            np.zeros(lanes),
        ),
        outer=chain(arms + groups, choices, outer_cells),
        inner=chain(arms, choices, inner_cells) if groups > 0 else chain(0, 0, inner_cells),
    )
