"""The sets of worlds that are frozen, run and reported together, each with files of its own."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.any_response.trial import contestants, counted, games, limits, unseen, worlds
from studies.any_response.trial.extent import FULL, Extent
from studies.any_response.trial.games import Game
from studies.any_response.trial.limits import Limit
from studies.any_response.trial.worlds import TrialWorld

HERE = Path(__file__).parent
PAGES = HERE.parents[2] / "docs" / "studies"


@dataclass(frozen=True)
class Part:
    """A set of worlds. What the code has is looked up late, so that a test may change it."""

    worlds: Callable[[], tuple[TrialWorld, ...]]
    limits: Callable[[], tuple[Limit, ...]]
    games: Callable[[], Iterable[Game]]
    contestants: Callable[[TrialWorld], Mapping[str, Any]]
    extent: Extent
    frozen: Path
    results: Path
    page: Path
    unseen: Path | None  # worlds that someone else writes after the freeze, if any

    def all_worlds(self) -> tuple[TrialWorld, ...]:
        """The worlds, the unseen ones included."""
        return (*self.worlds(), *(worlds.unseen_worlds() if self.unseen else ()))


WHOLE = Part(
    worlds=lambda: worlds.FIXED,
    limits=lambda: limits.LIMITS,
    games=lambda: games.games(),
    contestants=lambda world: contestants.contestants(world),
    extent=FULL,
    frozen=HERE / "frozen.json",
    results=HERE / "results",
    page=PAGES / "any-response-trial.md",
    unseen=Path(unseen.__file__),
)
COUNTS = Part(
    worlds=lambda: counted.WORLDS,
    limits=lambda: counted.LIMITS,
    games=lambda: counted.games(),
    contestants=lambda world: counted.contestants(world),
    extent=counted.EXTENT,
    frozen=HERE / "frozen-counts.json",
    results=HERE / "results-counts",
    page=PAGES / "any-response-counts-trial.md",
    unseen=None,
)
