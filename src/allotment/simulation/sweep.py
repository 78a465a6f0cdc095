"""Simulate many policies on many problems, and collect the results in one tidy frame."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from allotment.arrays import IntArray
from allotment.checks import whole
from allotment.errors import ClusterError, FileError, InputError, SimulationInterrupted, UnsavedError
from allotment.policies.base.catalogue import find_handed
from allotment.policies.base.policy import Policy
from allotment.policies.base.policy_texts import parse_all
from allotment.simulation.grid import Case, cases_of, checked_out, load_frame, save_frame, settings_in, tidy
from allotment.simulation.job import Crew, Job
from allotment.simulation.partial_run import (
    PartialRun,
    earlier,
    play_together,
    refuse_difference,
    settings_of,
)
from allotment.simulation.progress import Progress, say
from allotment.simulation.result import Result
from allotment.simulation.run_memory import ROW, refuse_large_run
from allotment.simulation.simulate import checked_policies, recorded_rounds
from allotment.simulation.warming import compile_missing
from allotment.system.files import AnyPath, ensure_folder
from allotment.system.interrupts import interrupts
from allotment.tables import needed
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
    """Simulate every policy on every problem, and collect the regret in one tidy frame.

    Each point of the grid equals a run of `simulate` with the same seed, whatever else is in the sweep. So
    problems with the same number of arms share their luck. A standard error of the mean over problems that
    takes their regrets for independent may be too small: 1.18 times for CTS on 30 random problems
    (docs/how-to/sweeps.md).

    Parameters
    ----------
    problems : World, str, mapping, or iterable of these
        The problems: worlds, names of shipped problems, files, or tables. The table {"problem": "paper-2",
        "budget": [1.5, 2, 2.5]} stands for three problems, and {"problem": "random", "arms": 5, "seed":
        range(30)} for thirty. A mapping from names to problems names them.
    policies : Policy, str, or iterable of these
        The policies. Text is read as on the command line: "cts:thresholds=known" gets the thresholds of each
        problem.
    horizon : int
        The number of rounds.
    replications : int
        The number of independent runs of each policy on each problem.
    seed : int
        The seed.
    out : str or path, optional
        A file (.parquet) for the frame. Finished points are kept in a folder beside it, so that a sweep that
        is started again plays only the missing points.
    executor : concurrent.futures.Executor, optional
        Where to run instead of threads: a `Cluster`, or any other executor.
    workers : int, optional
        The number of threads. One per core by default.
    record : int or sequence of int
        The number of evenly spaced rounds at which regret is recorded, or the rounds themselves.
    progress : bool
        Show a progress bar on a terminal.
    overwrite : bool
        Replace `out` if it holds another sweep.
    trust : iterable of type
        Policy classes from outside the package that a text may name. A grid from a file runs no other code.

    Returns
    -------
    pandas.DataFrame
        One row per problem, policy, replication and recorded round.

    Raises
    ------
    InputError
        If a value is out of range, or a problem or policy is unknown.
    MissingExtraError
        If pandas is not installed.
    FileError
        If `out` cannot be written.
    SimulationInterrupted
        On Ctrl-C, SIGTERM or SIGHUP. Its `result` is the frame of the finished points.

    Examples
    --------
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
    """Make a job for every point of the grid."""
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
    """The settings that the frame depends on, as plain data."""
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
    """Whether a file holds this sweep; if it holds another, raise an error unless it may be overwritten."""
    try:
        refuse_difference(file, settings_in(file), settings)
    except (FileError, InputError):
        if overwrite:
            return False
        raise
    return True


def _point(job: Job, replications: int, crew: Crew, parts: Path) -> PartialRun:
    """A point that continues from its part file, which is named by the point's settings."""
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
    """Play the missing points, save each one as it is finished, and keep the frame of all points."""
    left = [partial for _, partial in points if partial.left]
    finished = len(points) - len(left)

    def finish(partial: PartialRun) -> None:
        nonlocal finished
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
                play_together(left, crew, bar, finish)
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
    """Remove the part files whose points are in the frame, and unfinished drafts."""
    with suppress(OSError):
        for _, partial in points:
            cast(Path, partial.out).unlink(missing_ok=True)
        for draft in parts.glob(".*"):
            draft.unlink()
