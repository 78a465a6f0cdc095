"""Results of runs on disk: a folder for each run, a file for each world."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.errors import ConflictError
from allotment.system.files import ensure_folder, read_bytes, replacing
from studies.any_response.trial.extent import Extent


def folder_of(results: Path, ordinal: int) -> Path:
    """The folder of a run, by its place among all runs."""
    return results / f"run-{ordinal}"


@dataclass
class WorldResult:
    """What each policy lost in one world: a number for each problem, and the seconds that it took."""

    path: Path
    world: str
    extent: Extent
    lost: dict[str, list[float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, world: str, extent: Extent) -> Self:
        """What is kept of a world so far."""
        ensure_folder(folder)
        path = folder / f"{re.sub('[^a-z0-9]+', '-', world.lower()).strip('-')}.json"
        found = cls(path, world, extent)
        if path.exists():
            kept = json.loads(read_bytes(path))
            if kept["extent"] != extent.to_dict():
                raise ConflictError.of(f"the extent in {path}", kept["extent"], f"{extent.to_dict()}")
            found.lost, found.seconds = kept["lost"], kept["seconds"]
        return found

    def keep(self, policy: str, lost: list[float], seconds: float) -> None:
        """Add a policy, and write the file."""
        self.lost[policy], self.seconds[policy] = lost, round(seconds, 1)
        content: dict[str, Any] = {
            "world": self.world,
            "extent": self.extent.to_dict(),
            "seconds": self.seconds,
            "lost": self.lost,
        }
        with replacing(self.path) as draft:
            draft.write_text(json.dumps(content) + "\n", "utf-8")


def outcomes_in(folder: Path) -> Mapping[str, Mapping[str, FloatArray]]:
    """Everything kept of a run, by world and policy."""
    found = (json.loads(read_bytes(path)) for path in sorted(folder.glob("*.json")))
    return {
        each["world"]: {policy: np.array(lost) for policy, lost in each["lost"].items()} for each in found
    }
