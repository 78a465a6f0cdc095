"""`allotment reproduce`: the paper's figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import WorkersOption
from allotment.cli.output import console, table
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from allotment.experiments.paper.running import Reproduction

STUDY = "joint"


@app.command()
def reproduce(
    figures: Annotated[
        list[str] | None, typer.Argument(help="fig1, fig2, fig3, fig4 (all of them by default), or joint.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("reproduction"),
    replications: Annotated[
        int | None, typer.Option(help="Repetitions of each experiment; 100 by default, 20 for joint.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    setting: Annotated[
        str, typer.Option(help="printed (the paper's text), published (what its figures ran), or both.")
    ] = "both",
    workers: WorkersOption = None,
) -> None:
    """Run the experiments of the paper, draw its figures, and report where it and they part.

    With "joint" instead of figures: print the study that chose how Joint decides, as in docs/joint.md. It
    takes about 20 minutes on two cores and writes no files.
    """
    from allotment.checks import one_of
    from allotment.experiments.joint import study as joint_study
    from allotment.experiments.paper.figures import FIGURES
    from allotment.experiments.paper.reproduce import REPORT
    from allotment.experiments.paper.reproduce import reproduce as run

    names = [one_of("figure", name, (*FIGURES, STUDY)) for name in figures or ()]
    if STUDY in names and len(names) > 1:
        raise ConflictError(
            f"figures are {', '.join(names)}", "joint alone, or figures only", what="figures", value=names
        )
    if replications is None:
        replications = joint_study.REPLICATIONS if names == [STUDY] else 100
    if names == [STUDY]:
        for part in joint_study.report(replications, seed, workers=workers):
            print(part, end="\n\n", flush=True)
        return
    made = run(names, out, replications=replications, seed=seed, setting=setting, workers=workers)
    _show(made)
    print(f"{made.replications} replications, seed {made.seed}, {made.seconds:.1f} s. See {out / REPORT}.")


def _show(made: "Reproduction") -> None:
    from allotment.intervals import interval

    shown = table("figure", "setting", "curve", "regret", "95 % interval", "in the paper", numbers=3)
    for row in made.rows:
        paper = "-" if row.in_paper is None else f"{row.in_paper:g}"
        curve = f"{row.curve} ({row.part})" if row.part else row.curve
        shown.add_row(row.figure, row.setting, curve, f"{row.mean:.1f}", interval(row.low, row.high), paper)
    console().print(shown)
