"""The paper's figures in one go: run, drawn, written down and reported."""

import csv
import json
import os
from collections.abc import Iterable
from pathlib import Path

from allotment.checks import one_of
from allotment.errors import FileError
from allotment.experiments.paper.paper_figures import SETTINGS, paper_figures
from allotment.experiments.paper.paper_pictures import picture_of
from allotment.experiments.paper.report import IN_REPORT, report
from allotment.experiments.paper.running import Measured, Reproduction, measure
from allotment.plots.figures import FORMATS, need_matplotlib
from allotment.system.files import ensure_writable, replacing
from allotment.system.processes import side_by_side

BOTH = "both"
REPORT = "report.html"
DRAWN = (IN_REPORT,)  # unless asked for more: the report shows the same pictures


def reproduce(
    figures: Iterable[str] = (),
    out: str | os.PathLike[str] = "reproduction",
    *,
    replications: int = 100,
    seed: int = 0,
    setting: str = BOTH,
    formats: Iterable[str] = DRAWN,
    workers: int | None = None,
    progress: bool = True,
) -> Reproduction:
    """Run figures of the paper ("fig1" to "fig3") or ours ("fig4"), all by default, and write them to `out`.

    `setting` is "printed" (what the text of the paper says), "published" (what its figures were run with) or
    "both". Every figure becomes a CSV file, and a picture in each of `formats`: "svg", "png" or "pdf".
    `report.html` shows them all with the regret of every line beside the value in the paper, and
    `summary.json` has the same numbers for machines.
    """
    one_of("setting", setting, (*SETTINGS, BOTH))
    kinds = [one_of("format", each, FORMATS) for each in formats]
    chosen = paper_figures(figures, SETTINGS if setting == BOTH else [setting])
    need_matplotlib()
    _prepare(Path(out))
    with side_by_side(1) as start:

        def draw_meanwhile(measured: Measured) -> None:
            parts = measured.figure.parts
            drawn = [*((parts, kind) for kind in kinds), *(((part,), IN_REPORT) for part in parts)]
            for shown, kind in dict.fromkeys(drawn):
                start(picture_of, measured, shown, kind)

        made = measure(
            chosen,
            replications=replications,
            seed=seed,
            workers=workers,
            progress=progress,
            ready=draw_meanwhile,
        )
    write(made, out, kinds)  # draws what was not drawn meanwhile
    return made


def write(made: Reproduction, folder: str | os.PathLike[str], formats: Iterable[str] = DRAWN) -> None:
    """Write pictures, numbers, summary and report into a folder."""
    target = Path(folder)
    for measured in made.figures:
        for kind in formats:
            with replacing(target / f"{measured.figure.stem}.{kind}") as draft:
                draft.write_bytes(picture_of(measured, measured.figure.parts, kind))
        _write_csv(measured, target / f"{measured.figure.stem}.csv")
    _write_text(target / "summary.json", json.dumps(made.to_dict(), indent=1, ensure_ascii=False) + "\n")
    _write_text(target / REPORT, report(made))


def _prepare(folder: Path) -> None:
    """Fail before the work, not after it, if the folder cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror or error}") from None
    ensure_writable(folder / REPORT)


def _write_csv(measured: Measured, path: Path) -> None:
    with replacing(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["part", "curve", "round", "mean", "low", "high"])
        for part in measured.figure.parts:
            for each in part.experiments:
                regret = measured.regrets[each]
                for at, played in enumerate(measured.rounds):
                    shown = (f"{values[at]:.4f}" for values in (regret.mean, regret.low, regret.high))
                    rows.writerow([part.title, each.label, played, *shown])


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
