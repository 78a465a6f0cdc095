"""The memory of the allocator, computed without loading compiled code."""

CELLS = 1 << 24  # of dynamic programming, at most; the system hands out their memory only as it is touched


FEW_LABELS, LABELS = 1 << 13, 1 << 20  # of searches with limited moves: what most of them take, and the most


def label_count(units: int, arms: int) -> int:
    """The labels that an oracle sets aside to limit moves: 64 for every choice, within reason."""
    return min(max(64 * arms * (units + 1), 8 * FEW_LABELS), LABELS)


def sharing_bytes(units: int, arms: int, *, groups: bool = False, moves: bool = False) -> float:
    """The memory for sharing out any budget over arms with up to `units` units each."""
    choices, spare = arms * (units + 1.0), units + 33.0
    cells = min((arms + 2) * (arms * units + spare) + 3 * choices, CELLS)
    labels = 56.0 * label_count(units, arms) + 8 * choices + 72 * arms if moves else 0.0
    return 8 * choices + (2 if groups else 1) * (16 * choices + 120 * arms + 8 * cells) + labels
