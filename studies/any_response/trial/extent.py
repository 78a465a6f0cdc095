"""How much a trial plays."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Extent:
    """Problems of each world, runs of each problem, and the most rounds of a run."""

    problems: int
    runs: int
    horizon: int

    def to_dict(self) -> dict[str, int]:
        """The extent as plain data."""
        return asdict(self)


FULL = Extent(problems=100, runs=4, horizon=3_000)
SMALL = Extent(problems=2, runs=2, horizon=50)
