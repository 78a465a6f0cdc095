"""Many problems times many policies: every point of a grid simulated, and one tidy frame of them all."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from allotment.arrays import IntArray
from allotment.catalogue import find_handed
from allotment.checks import whole
from allotment.errors import ClusterError, FileError, InputError, SimulationInterrupted, UnsavedError
from allotment.files import AnyPath, ensure_folder
from allotment.frames import needed
from allotment.interrupts import interrupts
from allotment.policy import Policy
from allotment.policy_texts import parse_all
from allotment.simulation.grid import Case, cases_of
from allotment.simulation.job import Block, Crew, Job
from allotment.simulation.partial_run import PartialRun, earlier, refuse_difference, settings_of
from allotment.simulation.progress import Progress, say
from allotment.simulation.regret_paths import Curve
from allotment.simulation.result import Result
from allotment.simulation.run_memory import ROW, refuse_large_run
from allotment.simulation.simulate import checked_policies, recorded_rounds
from allotment.simulation.sweep_frame import checked_out, load_frame, save_frame, settings_in, tidy
from allotment.simulation.warming import compile_missing
from allotment.worlds.world import World

if TYPE_CHECKING:
    from pandas import DataFrame

RECORDED = 50  # rounds at which regret is kept, unless told otherwise

Points = list[tuple[Case, PartialRun]]
Problems = World | str | Iterable[World | str | Mapping[str, Any]] | Mapping[str, Any]


def sweep(
    problems: Problems,
    policies: Policy | str | Iterable[Policy | str],
    *,
    horizon: int,
    replications: int,
    seed: int,
    out: AnyPath | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    record: int | Sequence[int] = RECORDED,
    progress: bool = True,
    overwrite: bool = False,
    trust: Iterable[type[Policy]] = (),
) -> "DataFrame":
    """Simulate every policy on every problem; one row per problem, policy, replication and recorded round.

    A problem is a Problem or another World, the name of one, a file, or a table: {"problem": "paper-2",
    "budget": [1.5, 2, 2.5]} is three of them, and {"problem": "random", "arms": 5, "seed": range(30)} thirty.
    A mapping gives them names. A policy may be text, as on the command line, and is then told what it has to
    know of each problem ("cts:thresholds=known"). Text names the package's policies, and the classes in
    `trust`: a grid from a file runs no code that it names.

    Each point of the grid is what `simulate` gives with the same seed, whatever else is in the sweep, and
    whoever does the work: `executor` is a Cluster, or any other concurrent.futures executor.

    `out` is a file (.parquet) for the frame. Until the end, finished points are kept in a folder beside it,
    and a sweep that is started again plays only what is missing. If interrupted, SimulationInterrupted holds
    the frame of the points that are finished. A file of other settings is replaced with `overwrite` only.

    >>> frame = sweep(["paper-1", "paper-2"], "equal-split", horizon=10, replications=2, seed=0, record=1)
    >>> frame[["problem", "policy", "replication", "round"]].values.tolist()[-1]
    ['paper-2', 'Equal split', 1, 10]
    """
    needed("pandas")
    rounds = recorded_rounds(record, whole("horizon", horizon, least=1))
    jobs = list(_jobs(problems, policies, rounds, whole("seed", seed, least=0), list(trust)))
    replications, crew = whole("replications", replications, least=1), Crew.of(workers, executor, len(jobs))
    refuse_large_run((job for _, job in jobs), replications, crew, ROW)
    file = None if out is None else checked_out(out)
    if file is None:
        points = [(case, PartialRun(job, replications, crew)) for case, job in jobs]
        return _play(points, crew, progress, keep=lambda frame: None)
    settings = _settings(jobs, replications)
    if file.exists() and _holds(file, settings, overwrite):
        say(f"{file} holds this sweep already; nothing is left to do", progress)
        return load_frame(file)
    parts = file.with_name(f"{file.name}.parts")
    ensure_folder(parts)
    points = [(case, _point(job, replications, crew, parts)) for case, job in jobs]
    _say_what_is_there(points, parts, progress)

    def keep(frame: "DataFrame") -> None:
        try:
            save_frame(frame, file, settings)
        except FileError as error:
            raise UnsavedError(str(error), frame) from None
        _clear(parts, points)

    try:
        return _play(points, crew, progress, keep)
    finally:
        with suppress(OSError):
            parts.rmdir()  # if nothing is in it


def _jobs(
    problems: Problems, policies: Any, rounds: IntArray, seed: int, trust: list[type[Policy]]
) -> Iterator[tuple[Case, Job]]:
    """A job for every point of the grid."""
    listed = [policies] if isinstance(policies, Policy | str) else policies
    if not isinstance(listed, Iterable):
        raise InputError.of("policies", policies, "policies, or texts that stand for them")
    listed = list(listed)
    for case in cases_of(problems):
        try:
            found = checked_policies(parse_all(listed, case.world, lambda name: find_handed(name, trust)))
            for policy in found:
                policy.check_world(case.world)
        except InputError as error:
            raise error.within(case.name) from None
        for policy in found:
            yield case, Job(case.world, (policy,), int(rounds[-1]), seed, rounds)


def _settings(jobs: list[tuple[Case, Job]], replications: int) -> dict[str, Any]:
    """What the frame depends on, as plain data."""
    first = jobs[0][1]
    return {
        "horizon": first.horizon,
        "replications": replications,
        "seed": first.seed,
        "rounds": first.rounds.tolist(),
        "problems": list(dict.fromkeys(case.name for case, _ in jobs)),
        "policies": list(dict.fromkeys(job.policies[0].label for _, job in jobs)),
        "points": _digest([[case.parameters, settings_of(job)] for case, job in jobs]),
    }


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]


def _holds(file: Path, settings: dict[str, Any], overwrite: bool) -> bool:
    """Whether a file is of this sweep; if not, it must be one that may be replaced."""
    try:
        refuse_difference(file, settings_in(file), settings)
    except (FileError, InputError):
        if overwrite:
            return False
        raise
    return True


def _point(job: Job, replications: int, crew: Crew, parts: Path) -> PartialRun:
    """A point that goes on from its part, which goes by its settings: whatever the grid, it is the same."""
    part = parts / f"{_digest(settings_of(job))}.npz"
    return PartialRun(job, replications, crew, earlier(job, part, overwrite=True), part)


def _say_what_is_there(points: Points, parts: Path, progress: bool) -> None:
    finished = [partial for _, partial in points if not partial.left]
    if finished:
        say(f"{parts} holds {len(finished)} of {len(points)} points already; going on from there", progress)
    if len(finished) < len(points):
        for partial in finished:
            partial.compare_versions(stacklevel=3)


def _play(points: Points, crew: Crew, progress: bool, keep: Callable[["DataFrame"], None]) -> "DataFrame":
    """Play what is left, write every point down as it is finished, and keep the frame of them all."""
    owners: dict[Block, PartialRun] = {}
    left = [partial for _, partial in points if partial.left]
    finished = len(points) - len(left)

    def blocks() -> Iterator[Block]:
        for partial in left:
            for block in partial.blocks():
                owners[block] = partial
                yield block

    def done(block: Block, regret: Curve) -> None:
        nonlocal finished
        partial = owners.pop(block)
        partial.add(block, regret)
        if not partial.left:
            partial.save_meanwhile()
            finished += 1
            bar.describe(f"sweeping, {finished} of {len(points)} points")

    with interrupts() as arrived:
        try:
            compile_missing((partial.job for partial in left), progress=progress)
            rounds = sum(partial.left * partial.job.horizon for partial in left)
            with Progress(
                rounds, shown=progress, text=f"sweeping, {finished} of {len(points)} points"
            ) as bar:
                crew.play(blocks(), done, bar)
        except KeyboardInterrupt:
            arrived.note()
        except ClusterError:  # the work is fine, and may be finished another day
            with arrived.held():
                _save_unfinished(left)
            raise
        with arrived.held():
            _save_unfinished(left)
            complete = [
                (case, cast(Result, partial.result())) for case, partial in points if not partial.left
            ]
            if not complete:
                raise KeyboardInterrupt
            frame = tidy(complete)
            if len(complete) == len(points):
                keep(frame)
        if arrived.asked:
            raise SimulationInterrupted(frame)
    return frame


def _save_unfinished(points: list[PartialRun]) -> None:
    for partial in points:
        if partial.left:
            partial.save_meanwhile()


def _clear(parts: Path, points: Points) -> None:
    """Remove the parts that are in the frame, and drafts that were never finished."""
    with suppress(OSError):
        for _, partial in points:
            cast(Path, partial.out).unlink(missing_ok=True)
        for draft in parts.glob(".*"):
            draft.unlink()
