"""`allotment reproduce`: the paper's figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import WorkersOption
from allotment.cli.output import console, table
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from allotment.experiments.paper.running import Reproduction

STUDIES = ("joint", "any-response")


@app.command()
def reproduce(
    figures: Annotated[
        list[str] | None,
        typer.Argument(help="fig1, fig2, fig3, fig4 (all by default), or a study: joint, any-response."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("reproduction"),
    replications: Annotated[
        int | None, typer.Option(help="Repetitions; 100 by default, 20 for joint, 1 for any-response.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    setting: Annotated[
        str, typer.Option(help="printed (the paper's text), published (what its figures ran), or both.")
    ] = "both",
    workers: WorkersOption = None,
) -> None:
    """Run the experiments of the paper, draw its figures, and report where it and they part.

    With "joint" or "any-response" instead of figures: print the study that chose how that policy decides, as
    in docs/joint.md and docs/any-response.md. It takes half an hour or more on two cores and writes no files.
    """
    from allotment.checks import one_of
    from allotment.experiments.paper.figures import FIGURES
    from allotment.experiments.paper.reproduce import REPORT
    from allotment.experiments.paper.reproduce import reproduce as run

    names = [one_of("figure", name, (*FIGURES, *STUDIES)) for name in figures or ()]
    studies = [name for name in names if name in STUDIES]
    if studies and len(names) > 1:
        raise ConflictError(
            f"figures are {', '.join(names)}",
            f"{studies[0]} alone, or figures only",
            what="figures",
            value=names,
        )
    if studies:
        for part in _study(studies[0], replications, seed, workers):
            print(part, end="\n\n", flush=True)
        return
    replications = 100 if replications is None else replications
    made = run(names, out, replications=replications, seed=seed, setting=setting, workers=workers)
    _show(made)
    print(f"{made.replications} replications, seed {made.seed}, {made.seconds:.1f} s. See {out / REPORT}.")


def _study(name: str, replications: int | None, seed: int, workers: int | None) -> "Iterator[str]":
    """A study, part by part."""
    from allotment.experiments.any_response import study as any_response_study
    from allotment.experiments.joint import study as joint_study

    study = joint_study if name == "joint" else any_response_study
    return study.report(study.REPLICATIONS if replications is None else replications, seed, workers=workers)


def _show(made: "Reproduction") -> None:
    from allotment.intervals import interval

    shown = table("figure", "setting", "curve", "regret", "95 % interval", "in the paper", numbers=3)
    for row in made.rows:
        paper = "-" if row.in_paper is None else f"{row.in_paper:g}"
        curve = f"{row.curve} ({row.part})" if row.part else row.curve
        shown.add_row(row.figure, row.setting, curve, f"{row.mean:.1f}", interval(row.low, row.high), paper)
    console().print(shown)
