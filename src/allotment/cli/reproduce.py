"""`allotment reproduce`: the paper's figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import WorkersOption
from allotment.cli.output import console, table

if TYPE_CHECKING:
    from allotment.experiments.paper.running import Reproduction


@app.command()
def reproduce(
    figures: Annotated[
        list[str] | None,
        typer.Argument(help="The figures: fig1, fig2, fig3, fig4. Defaults to all."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("reproduction"),
    replications: Annotated[int, typer.Option(help="The number of independent runs.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed: the same seed gives the same numbers.")] = 0,
    setting: Annotated[
        str, typer.Option(help="Follow the text (printed), the figures (published), or both.")
    ] = "both",
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help="The format: svg, png or pdf (repeatable). Defaults to svg."),
    ] = None,
    workers: WorkersOption = None,
) -> None:
    """Run the experiments of the paper and draw its figures. A report says where the two differ.

    The studies of Joint and AnyResponse are in the repository: `make study NAME=joint` runs one.
    """
    from allotment.checks import one_of
    from allotment.experiments.paper.paper_figures import FIGURES
    from allotment.experiments.paper.report import DRAWN, REPORT
    from allotment.experiments.paper.report import reproduce as run

    names = [one_of("figure", name, tuple(FIGURES)) for name in figures or ()]
    made = run(
        names,
        out,
        replications=replications,
        seed=seed,
        setting=setting,
        formats=formats or DRAWN,
        workers=workers,
    )
    _show(made)
    print(f"{made.replications} replications, seed {made.seed}, {made.seconds:.1f} s. See {out / REPORT}.")


def _show(made: "Reproduction") -> None:
    from allotment.markup import interval

    shown = table("figure", "setting", "line", "regret", "95 % interval", "in the paper", numbers=3)
    for row in made.rows:
        paper = "-" if row.in_paper is None else f"{row.in_paper:g}"
        line = f"{row.line} ({row.part})" if row.part else row.line
        shown.add_row(row.figure, row.setting, line, f"{row.mean:.1f}", interval(row.low, row.high), paper)
    console().print(shown)
