"""The run of the trial. It keeps what it has, and goes on from there when it is called again."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from allotment.errors import AllotmentError, InputError
from studies.any_response.trial import worlds
from studies.any_response.trial.extent import Extent
from studies.any_response.trial.frozen import refuse_differences
from studies.any_response.trial.limits import OLD, WITH_TODAYS_FAMILY
from studies.any_response.trial.measuring import measure
from studies.any_response.trial.old_rule import measure_old, python_of
from studies.any_response.trial.parts import WHOLE, Part
from studies.any_response.trial.results import WorldResult, folder_of
from studies.any_response.trial.run_log import logged, write_line
from studies.any_response.trial.seeds import seed_of
from studies.any_response.trial.worlds import TrialWorld

UNSEEN_WORLDS = 3


def run_trial(
    number: int,
    part: Part = WHOLE,
    *,
    old: Path | None = None,
    workers: int | None = None,
) -> int:
    """Run the trial, or the rest of it; gives the run's place among all runs, from 1 on."""
    seed, results = seed_of(number, part.frozen, part.unseen), part.results
    try:
        if part.unseen:
            _check_unseen()
        refuse_differences(part)
    except AllotmentError as error:
        write_line(results, number, seed, f"refused: {error}")
        raise
    with logged(results, number, seed) as ordinal:
        play(seed, folder_of(results, ordinal), part.extent, part, old, workers)
    return ordinal


def play(seed: int, folder: Path, extent: Extent, part: Part, old: Path | None, workers: int | None) -> None:
    """Measure whatever the folder does not have yet, one policy in one world after another."""
    python = None if old is None else python_of(old)
    for world in part.all_worlds():
        kept = WorldResult.at(folder, world.name, extent)
        for policy, measured in _measures(world, part, python):
            if policy not in kept.lost:
                began = time.perf_counter()
                lost = measured(seed=seed, extent=extent, workers=workers)
                kept.keep(policy, lost, time.perf_counter() - began)


def _measures(
    world: TrialWorld, part: Part, python: Path | None
) -> Iterator[tuple[str, Callable[..., list[float]]]]:
    for policy, make in part.contestants(world).items():
        yield policy, partial(measure, world, policy, make)
    if python is not None and world.name in WITH_TODAYS_FAMILY:
        yield OLD, partial(measure_old, world, python)


def _check_unseen() -> None:
    fixed = {world.name for world in worlds.FIXED}
    found = [world.name for world in worlds.unseen_worlds()]
    if len(found) != UNSEEN_WORLDS:
        raise InputError.of("the number of worlds in unseen.py", len(found), f"{UNSEEN_WORLDS}")
    for name in found:
        if name in fixed:
            raise InputError.of("the name of an unseen world", name, "a name that no other world has")
