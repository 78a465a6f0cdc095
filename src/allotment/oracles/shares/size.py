"""How much memory the allocator takes, told without loading what it is compiled with."""

CELLS = 1 << 24  # of dynamic programming, at most; the system hands out their memory only as it is touched


def sharing_bytes(units: int, arms: int, *, groups: bool = False) -> float:
    """What it takes to share out a budget over arms with up to so many units each, whatever the budget."""
    choices, spare = arms * (units + 1.0), units + 33.0
    cells = min((arms + 2) * (arms * units + spare) + 3 * choices, CELLS)
    return 8 * choices + (2 if groups else 1) * (16 * choices + 120 * arms + 8 * cells)
