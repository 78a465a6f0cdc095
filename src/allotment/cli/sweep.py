"""`allotment sweep`: simulate a grid of problems and policies into one tidy frame."""

from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import OverwriteOption, SchedulerOption, TrustOption, WorkersOption, who_works
from allotment.errors import InputError, SimulationInterrupted

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
