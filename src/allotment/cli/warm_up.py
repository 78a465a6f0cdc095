"""`allotment warm-up`: compile in advance, for images, clusters and tests."""

from typing import Annotated

import typer

from allotment.cli.app import app


@app.command("warm-up")
def warm_up(
    workers: Annotated[
        int | None, typer.Option(help="The number of processes. Defaults to the number of cores.")
    ] = None,
    campaigns: Annotated[bool, typer.Option("--campaigns", help="Compile only what campaigns use.")] = False,
) -> None:
    """Compile every policy in advance."""
    if campaigns:
        print("Compiling what campaigns decide with; it is kept for next time.", flush=True)
        from allotment.campaign.warm_planner import warm_up_campaigns

        warm_up_campaigns()
        return
    print("Compiling for every policy; it is kept for next time.", flush=True)
    from allotment.checks import whole
    from allotment.simulation.warming import warm_up as compile_all

    processes = None if workers is None else whole("workers", workers, least=1)
    for done in compile_all(workers=processes):
        print(f"{done.number} of {done.of}: {done.policy.label}, after {done.seconds:.0f} s", flush=True)
