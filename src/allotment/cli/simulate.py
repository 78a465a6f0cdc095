"""`allotment simulate` and `allotment extend`: run policies against a problem."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import INTERRUPTED, app
from allotment.cli.inputs import JsonOption, PolicyOption, ProblemArgument, read_policies, read_problem
from allotment.cli.output import PlotOption, check_plot, save_plot, show_result
from allotment.errors import SimulationInterrupted
from allotment.files import ensure_writable

if TYPE_CHECKING:
    from allotment.simulation.result import Result

Workers = Annotated[int | None, typer.Option(help="Threads; as many as there are cores by default.")]


@app.command()
def simulate(
    problem: ProblemArgument,
    policy: PolicyOption,
    horizon: Annotated[int, typer.Option(help="Rounds in each replication.")] = 10_000,
    replications: Annotated[int, typer.Option(help="Independent repetitions.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Keep everything in this file (.npz).")] = None,
    plot: PlotOption = None,
    workers: Workers = None,
    json: JsonOption = False,
) -> None:
    """Run policies against a problem and show what they lose beyond the optimum."""
    from allotment.simulation.simulate import simulate as run_simulation

    instance = read_problem(problem)
    policies = read_policies(policy, instance)
    if out is not None:
        ensure_writable(out)
    check_plot(plot)
    try:
        result = run_simulation(
            instance, policies, horizon=horizon, replications=replications, seed=seed, workers=workers
        )
    except SimulationInterrupted as interrupted:
        _finish(interrupted.result, out, json)
        save_plot(interrupted.result, plot)
        raise _stopped() from None
    _finish(result, out, json)
    save_plot(result, plot)


@app.command()
def extend(
    saved: Annotated[Path, typer.Argument(help="A file that `simulate --out` wrote.")],
    replications: Annotated[int, typer.Option(help="How many there should be in all.")],
    out: Annotated[Path | None, typer.Option(help="Another file to write, instead of the same one.")] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy or world from outside the package that the file may name: my_module.Mine."
        ),
    ] = None,
    workers: Workers = None,
    json: JsonOption = False,
) -> None:
    """Add replications to a saved run; those that are there are kept."""
    from allotment.catalogue import find_trusted
    from allotment.simulation.result import Result
    from allotment.simulation.simulate import extend as more_replications

    target = out or saved
    policies, worlds = find_trusted(trust or ())
    before = Result.load(saved, policies=policies, worlds=worlds)
    ensure_writable(target)
    try:
        result = more_replications(before, replications, workers=workers)
    except SimulationInterrupted as interrupted:
        _finish(interrupted.result, target, json)
        raise _stopped() from None
    _finish(result, target, json)


def _finish(result: "Result", out: Path | None, json: bool) -> None:
    try:
        if out is not None:
            result.save(out)
    finally:  # an hour's work is shown even if it cannot be kept
        show_result(result, as_json=json)


def _stopped() -> typer.Exit:
    print(
        "allotment: interrupted; what is shown and kept are the replications that were complete",
        file=sys.stderr,
    )
    return typer.Exit(INTERRUPTED)
