"""`allotment simulate` and `allotment extend`: run policies against a problem."""

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
    WorkersOption,
    read_policies,
    read_problem,
)
from allotment.cli.output import show_result
from allotment.errors import SimulationInterrupted, UnsavedError

if TYPE_CHECKING:
    from allotment.simulation.result import Result


@app.command()
def simulate(
    problem: ProblemArgument,
    policy: PolicyOption,
    horizon: Annotated[int, typer.Option(help="Rounds in each replication.")] = 10_000,
    replications: Annotated[int, typer.Option(help="Independent repetitions.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep everything in this file (.npz); a run that it holds in part goes on."),
    ] = None,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Run policies against a problem and show what they lose beyond the optimum.

    Ctrl-C and SIGTERM end it; the replications that are complete are shown and kept.
    """
    from allotment.simulation.simulate import simulate as run_simulation

    instance = read_problem(problem)
    policies = read_policies(policy, instance)

    def run() -> "Result":
        return run_simulation(
            instance,
            policies,
            horizon=horizon,
            replications=replications,
            seed=seed,
            workers=workers,
            out=out,
            overwrite=overwrite,
        )

    _show(run, replications, out, json)


@app.command()
def extend(
    saved: Annotated[Path, typer.Argument(help="A file that `simulate --out` wrote.")],
    replications: Annotated[int, typer.Option(help="How many there should be in all.")],
    out: Annotated[Path | None, typer.Option(help="Another file to write, instead of the same one.")] = None,
    overwrite: OverwriteOption = False,
    trust: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy or world from outside the package that the file may name: my_module.Mine."
        ),
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Add replications to a saved run; those that are there are kept."""
    from allotment.catalogue import find_trusted
    from allotment.simulation.result import Result
    from allotment.simulation.simulate import extend as more_replications

    target = out or saved
    policies, worlds = find_trusted(trust or ())
    before = Result.load(saved, policies=policies, worlds=worlds)

    def run() -> "Result":
        return more_replications(before, replications, workers=workers, out=target, overwrite=overwrite)

    _show(run, replications, target, json)


def _show(run: Callable[[], "Result"], replications: int, out: Path | None, json: bool) -> None:
    """Show a result, or what there is of it."""
    try:
        result = run()
    except UnsavedError as error:  # an hour's work is shown even if it cannot be kept
        show_result(error.result, as_json=json)
        raise
    except SimulationInterrupted as interrupted:
        done = f"{interrupted.result.replications} of {replications} replications are complete"
        show_result(interrupted.result, as_json=json)
        kept = "" if out is None else f", and kept in {out}; the same command goes on from there"
        raise KeyboardInterrupt(done + kept) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("no replication was complete") from None
    show_result(result, as_json=json)
