"""A run in progress: earlier replications, new ones, and the file that keeps both."""

import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from allotment.errors import ConflictError, FileError, UnsavedError, VersionWarning, shown
from allotment.policies.base.catalogue import classes_from_outside, describe
from allotment.simulation.job import Block, Crew, Job
from allotment.simulation.progress import Progress, say
from allotment.simulation.regret_paths import Curve, joined
from allotment.simulation.result import Result
from allotment.simulation.result_files import checked_name
from allotment.system.files import AnyPath, ensure_writable
from allotment.version import versions
from allotment.worlds.descriptions import describe_world
from allotment.worlds.world import World

SAVE_SECONDS = 60.0  # between two saves of a run
SAVE_SHARE = 20  # saving takes at most one part in this many of the time
INSTEAD = "the same settings, another file, or leave to replace it (overwrite=True, --overwrite)"


class PartialRun:
    """The replications of a job as they come in, after the replications of an earlier run."""

    def __init__(
        self,
        job: Job,
        replications: int,
        crew: Crew,
        before: Result | None = None,
        out: Path | None = None,
    ) -> None:
        self.job = job
        self.crew = crew
        self.replications = replications
        self.out = out
        self._before = before
        self._todo = range(0 if before is None else min(before.replications, replications), replications)
        self._finished: dict[tuple[str, int], Curve] = {}
        self._came_in = 0
        self._due = math.inf  # until something comes in

    @classmethod
    def going_on(
        cls,
        job: Job,
        replications: int,
        crew: Crew,
        out: AnyPath | None,
        *,
        overwrite: bool,
        progress: bool,
        before: Result | None = None,
    ) -> Self:
        """The same, after what the file holds already, if that is more than was there before."""
        file = None if out is None else Path(out)
        found = None if file is None else earlier(job, file, overwrite=overwrite)
        if found is not None and (before is None or found.replications > before.replications):
            before = found
            goes_on = "going on from there" if found.replications < replications else "nothing is left to do"
            there = f"{file} holds {found.replications} of {replications} replications already"
            say(f"{there}; {goes_on}", progress)
        made = cls(job, replications, crew, before, file)
        if made.left:
            made.compare_versions(stacklevel=3)
        return made

    @property
    def left(self) -> int:
        """How many runs are still to be played, of all policies together."""
        return len(self._todo) * len(self.job.policies) - self._came_in

    def blocks(self) -> Iterator[Block]:
        """What is to be played."""
        return self.job.blocks(self._todo, self.crew)

    def add(self, block: Block, regret: Curve) -> None:
        """Take in what was played; write it down if that is due."""
        if not self._finished:
            self._due = time.monotonic() + SAVE_SECONDS
        self._finished[block.key] = regret
        self._came_in += regret.replications
        if self.out is not None and self.left and time.monotonic() >= self._due:
            self.save_meanwhile()

    def save_meanwhile(self) -> None:
        """Write down what there is, if there is a file for it; if that fails, there will be another time."""
        result, started = self.result(), time.monotonic()
        if result is not None and self.out is not None:
            try:
                result.save(self.out)
            except FileError as error:  # a disk may have room again when the run is over
                warnings.warn(f"{error}; the run goes on", stacklevel=2)
        ended = time.monotonic()
        self._due = ended + max(SAVE_SECONDS, SAVE_SHARE * (ended - started))

    def result(self) -> Result | None:
        """The replications that are complete for every policy; None if there are none."""
        more = self.job.collected(self._todo, self.crew, self._finished) if self._finished else None
        if self._before is None or more is None:
            return more or (self._before and _first(self._before, self.replications))
        return _joined(self._before, more)

    def saved_result(self) -> Result | None:
        """The result, saved to its file unless the file holds it already."""
        result = self.result()
        if self.out is not None and result is not None and (self._came_in or not self.out.exists()):
            try:
                result.save(self.out)
            except FileError as error:
                raise UnsavedError(str(error), result) from None
        return result

    def compare_versions(self, stacklevel: int) -> None:
        """Warn if other versions made the earlier replications."""
        made_with = versions() if self._before is None else self._before.versions
        unknown = "an unknown version"
        differ = [
            f"{name} {made_with.get(name, unknown)} (now {number})"
            for name, number in versions().items()
            if made_with.get(name) != number
        ]
        if differ:
            warnings.warn(
                f"the replications that are there were made with {', '.join(differ)}; "
                f"further ones may differ from what they would have been then",
                VersionWarning,
                stacklevel=stacklevel + 1,
            )


def play_together(
    runs: Iterable[PartialRun], crew: Crew, bar: Progress, finished: Callable[[PartialRun], None]
) -> None:
    """Play several runs, so that no worker waits for the end of one; `finished` gets each at its end."""
    owners: dict[Block, PartialRun] = {}

    def blocks() -> Iterator[Block]:
        for run in runs:
            for block in run.blocks():
                owners[block] = run
                yield block

    def done(block: Block, regret: Curve) -> None:
        run = owners.pop(block)
        run.add(block, regret)
        if not run.left:
            finished(run)

    crew.play(blocks(), done, bar)


def _first(result: Result, replications: int) -> Result:
    if result.replications <= replications:
        return result
    shorter = {label: regret.first(replications) for label, regret in result.curves.items()}
    return replace(result, curves=shorter)


def _joined(first: Result, second: Result) -> Result:
    longer = {label: joined([first[label], second[label]]) for label in first}
    both = {
        name: ", ".join(
            dict.fromkeys(each.versions[name] for each in (first, second) if name in each.versions)
        )
        for name in second.versions
    }
    return replace(first, curves=longer, versions=both)


def earlier(job: Job, out: Path, *, overwrite: bool) -> Result | None:
    """What a file holds of this job already; None if nothing, and it may be written."""
    checked_name(out)
    ensure_writable(out)
    if not out.exists():
        return None
    known = [kind for policy in job.policies for kind in classes_from_outside(policy)]
    told = [value for policy in job.policies for value in policy.parameters().values()]
    worlds = {type(each) for each in (job.problem, *told) if isinstance(each, World)}
    try:
        found = Result.load(out, policies=known, worlds=worlds)
        refuse_difference(out, settings_of(found), settings_of(job))
    except (FileError, ConflictError) as error:
        if overwrite:
            return None
        raise error if isinstance(error, ConflictError) else FileError(str(error), INSTEAD) from None
    return found


def settings_of(run: Job | Result) -> dict[str, Any]:
    """What a run's numbers depend on, as plain data."""
    return {
        "horizon": run.horizon,
        "seed": run.seed,
        "policies": [describe(policy) for policy in run.policies],
        "problem": describe_world(run.problem),
        "rounds": run.rounds.tolist(),
    }


def refuse_difference(out: Path, there: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise an error that names the first setting in which a file differs from what is asked for."""
    for name, value in asked.items():
        found = there.get(name)
        if json.dumps(found) != json.dumps(value):
            numbers = f"{shown(found)}, not {shown(value)}" if isinstance(value, int) else "not the same"
            verb = "are" if name.endswith("s") else "is"
            raise ConflictError(
                f"{out} was made with other settings: {name} {verb} {numbers}",
                INSTEAD,
                what="out",
                value=os.fspath(out),
            )
