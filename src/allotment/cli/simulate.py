"""`allotment simulate`, `extend`, `sweep` and `trace`: simulate policies on problems."""

import csv
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import (
    JsonOption,
    OverwriteOption,
    PolicyOption,
    ProblemArgument,
    SchedulerOption,
    TrustOption,
    WorkersOption,
    read_policies,
    read_problem,
    who_works,
)
from allotment.cli.output import PlotOption, check_plot, save_plot, show_result
from allotment.errors import FileError, InputError, SimulationInterrupted, UnsavedError
from allotment.system.files import ensure_writable, replacing
from allotment.tables import inert

if TYPE_CHECKING:
    from allotment.simulation.result import Result


@app.command()
def simulate(
    problem: ProblemArgument,
    policy: PolicyOption,
    horizon: Annotated[int, typer.Option(help="The number of rounds.")] = 10_000,
    replications: Annotated[int, typer.Option(help="The number of independent runs.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed: the same seed gives the same numbers.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Save the run to this file (.npz), and continue a run that it holds."),
    ] = None,
    overwrite: OverwriteOption = False,
    plot: PlotOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate policies on a problem and show their regret.

    Ctrl-C, SIGTERM and SIGHUP end it early. Complete replications are shown and kept.
    """
    from allotment.simulation.simulate import simulate as run_simulation

    instance = read_problem(problem)
    policies = read_policies(policy, instance)
    check_plot(plot)

    def run() -> "Result":
        with who_works(workers, scheduler) as crew:
            return run_simulation(
                instance,
                policies,
                horizon=horizon,
                replications=replications,
                seed=seed,
                out=out,
                overwrite=overwrite,
                **crew,
            )

    _show(run, replications, out, plot, json)


@app.command()
def extend(
    saved: Annotated[Path, typer.Argument(help="A file that `simulate --out` wrote.")],
    replications: Annotated[int, typer.Option(help="The number of replications in all.")],
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of the same one.")] = None,
    overwrite: OverwriteOption = False,
    trust: TrustOption = None,
    plot: PlotOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:
    """Add replications to a saved run."""
    from allotment.policies.base.catalogue import find_trusted
    from allotment.simulation.result import Result
    from allotment.simulation.simulate import extend as more_replications

    check_plot(plot)
    target = out or saved
    policies, worlds = find_trusted(trust or ())
    before = Result.load(saved, policies=policies, worlds=worlds)

    def run() -> "Result":
        with who_works(workers, scheduler) as crew:
            return more_replications(before, replications, out=target, overwrite=overwrite, **crew)

    _show(run, replications, target, plot, json)


def _show(
    run: Callable[[], "Result"], replications: int, out: Path | None, plot: Path | None, json: bool
) -> None:
    """Show and draw a result, complete or partial."""
    try:
        result = run()
    except UnsavedError as error:  # an hour's work is shown even if it cannot be kept
        _show_partial(error.result, plot, json)
        raise
    except SimulationInterrupted as interrupted:
        done = f"{interrupted.result.replications} of {replications} replications are complete"
        _show_partial(interrupted.result, plot, json)
        saved_where = "" if out is None else f", and kept in {out}; the same command goes on from there"
        raise KeyboardInterrupt(done + saved_where) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("no replication was complete") from None
    show_result(result, as_json=json)
    save_plot(result, plot)


def _show_partial(result: "Result", plot: Path | None, json: bool) -> None:
    """Show a partial result. A failing figure must not hide why the run ended."""
    show_result(result, as_json=json)
    try:
        save_plot(result, plot)
    except FileError as error:
        warnings.warn(str(error), stacklevel=2)


AGAIN = "the same command goes on from there"


@app.command()
def sweep(
    grid: Annotated[
        Path,
        typer.Argument(metavar="GRID", help="A TOML or JSON file with problems, policies and settings."),
    ],
    out: Annotated[Path, typer.Option(help="The file to write (.parquet).")],
    overwrite: OverwriteOption = False,
    trust: TrustOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Simulate every policy on every problem of a grid. Started again, it plays only missing points.

    docs/how-to/sweeps.md has an example.
    """
    from allotment.policies.base.catalogue import find_trusted
    from allotment.simulation.grid import load_grid
    from allotment.simulation.sweep import sweep as run_sweep

    settings = load_grid(grid)
    policies, worlds = find_trusted(trust or ())
    if worlds:
        raise InputError.of("--trust", worlds[0].__name__, "policies: a grid names no world from outside")
    try:
        with who_works(workers, scheduler) as crew:
            frame = run_sweep(**settings, out=out, overwrite=overwrite, trust=policies, **crew)
    except SimulationInterrupted as interrupted:
        points = len(interrupted.result[["problem", "policy"]].drop_duplicates())
        noun = "point is" if points == 1 else "points are"
        raise KeyboardInterrupt(f"{points} {noun} finished and kept; {AGAIN}") from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"no point is finished; {AGAIN}") from None
    problems, played = frame["problem"].nunique(), frame["policy"].nunique()
    print(f"{out}: {len(frame)} rows, {problems} problems x {played} policies.")


@app.command()
def trace(
    problem: ProblemArgument,
    policy: Annotated[str, typer.Option("--policy", "-p", help="The policy; see `policies`.")],
    out: Annotated[Path, typer.Option(help="The CSV file to write.")],
    horizon: Annotated[int, typer.Option(help="The number of rounds.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the simulation.")] = 0,
    replication: Annotated[int, typer.Option(help="The replication, counted from 0.")] = 0,
    plot: PlotOption = None,
) -> None:
    """Write each grant and loss of one replication to a CSV file."""
    from allotment.simulation.result_files import trace_columns
    from allotment.simulation.trace import trace as replay

    instance = read_problem(problem)
    (chosen,) = read_policies([policy], instance)
    ensure_writable(out)
    check_plot(plot)
    played = replay(instance, chosen, horizon=horizon, seed=seed, replication=replication)
    with replacing(out) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        columns = trace_columns(played)
        rows.writerow(columns)
        rows.writerows(map(inert, zip(*(values.tolist() for values in columns.values()), strict=True)))
    save_plot(played, plot)
    print(f"{out}: {horizon} rounds of {chosen.label}, {played.regret[-1]:.1f} regret in all.")
