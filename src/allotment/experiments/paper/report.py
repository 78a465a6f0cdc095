"""The paper's figures in one go: run, drawn, written down and reported.

The report is one HTML page that needs nothing else."""

import csv
import functools
import json
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from allotment.checks import one_of
from allotment.errors import FileError
from allotment.experiments.paper.paper_figures import PUBLISHED, SETTINGS, PaperFigure, Part, paper_figures
from allotment.experiments.paper.running import FigureRow, Measured, Reproduction, measure
from allotment.markup import with_margin
from allotment.plots.figures import FORMATS, figure_bytes, image_tag, need_matplotlib
from allotment.plots.lines import Panel, draw_panels
from allotment.policies.base.catalogue import describe
from allotment.system.files import ensure_writable, replacing
from allotment.system.processes import side_by_side
from allotment.version import versions


@functools.lru_cache(maxsize=32)
def picture_of(measured: Measured, parts: tuple[Part, ...], kind: str) -> bytes:
    """Panels side by side, as a file; the file of a figure and the report share what looks the same."""
    return figure_bytes(draw_panels([_panel(measured, part) for part in parts]), kind)


def _panel(measured: Measured, part: Part) -> Panel:
    # What the paper's figure showed is marked where the setting is the paper's figure's.
    marked = measured.figure.setting == PUBLISHED
    lines = tuple(
        measured.regrets[each].line(each.label, measured.rounds, each.in_paper if marked else None)
        for each in part.experiments
    )
    return Panel(lines, part.title, mark_label="read off the paper")


IN_REPORT = "svg"  # the format of its pictures
SETTING_TITLES = {"printed": "as printed", "published": "as published"}
SETTING_NOTES = {
    "printed": "The algorithms and the instance as the text of the paper gives them.",
    "published": "The algorithms and the instance as they were run for the paper's figures.",
}

# prose: ok
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 58rem;
       margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.panels, .panel { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: center; }
.panels { row-gap: 1.5rem; }
.panel { flex: 1 1 19rem; min-width: 0; }
.panel img { flex: 1 1 19rem; min-width: 0; max-width: min(31rem, 100%); height: auto; }
figure { margin: 0; } figcaption { font-size: .95rem; margin: .8rem 0; max-width: 42rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .6rem 0 .2rem; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
details { margin-top: .8rem; font-size: .9rem; } summary { cursor: pointer; }
.plain td { text-align: left; white-space: normal; }
@media (max-width: 30rem) { body { padding: .75rem; } table { font-size: .8rem; }
  th, td { padding: .25rem; } }
"""


def report(made: Reproduction) -> str:
    """The whole page."""
    body = [
        "<h1>The paper's figures, run again</h1>",
        _paragraph(
            "The experiments of “Censored Semi-Bandits: A Framework for Resource Allocation with Censored "
            "Feedback” (Verma, Hanawal, Rajkumar and Sankaran, NeurIPS 2019). Lines are means of "
            f"{made.replications} independent repetitions; bands and intervals are pointwise 95 % intervals "
            "of the mean (Student's t). Regret is the expected number of losses beyond the best "
            "allocation's. Hollow markers and the column “paper” are read off the published figures by eye, "
            "to about ±5; “search” is the median number of rounds spent on finding thresholds."
        ),
        *(_section(measured) for measured in made.figures),
        "<h2>How this was made</h2>",
        _facts(made),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>The paper's figures, run again</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _section(measured: Measured) -> str:
    figure = measured.figure
    kind = SETTING_TITLES[figure.setting] if figure.in_paper else "ours"
    note = SETTING_NOTES[figure.setting] if figure.in_paper else ""
    heading = f"Figure {figure.name.removeprefix('fig')}, {kind}: {figure.title}"
    return "\n".join(
        [
            f'<section id="{figure.stem}">',
            f"<h2>{escape(heading)}</h2>",
            "<figure>",
            f'<div class="panels">{"".join(_panels(measured))}</div>',
            f"<figcaption>{escape(figure.caption)} {note}</figcaption>",
            "</figure>",
            _settings(figure),
            "</section>",
        ]
    )


def _panels(measured: Measured) -> Iterable[str]:
    """Each panel is a picture of its own with its table, so that they stack on a narrow screen."""
    for part in measured.figure.parts:
        text = f"{measured.figure.title}. {part.title}".strip()
        picture = image_tag(picture_of(measured, (part,), IN_REPORT), text)
        rows = (row for row in measured.rows() if row.part == part.title)
        yield f'<div class="panel">{picture}{_table(measured.figure, part, rows)}</div>'


def _table(figure: PaperFigure, part: Part, rows: Iterable[FigureRow]) -> str:
    title = f"After {figure.horizon} rounds" + (f", {part.title}" if part.title else "")
    beside = "<th>paper<th>off by" if figure.in_paper else ""
    body = "".join(_table_row(row, figure.in_paper) for row in rows)
    head = f"<tr><th>line<th>regret{beside}<th>search</tr>"
    return f"<table><caption>{escape(title)}</caption>{head}{body}</table>"


def _table_row(row: FigureRow, in_paper: bool) -> str:
    paper = off = "-"
    if row.in_paper is not None:
        paper, off = f"{row.in_paper:g}", f"{100 * (row.mean / row.in_paper - 1):+.0f} %"
    searched = "-" if row.search_rounds is None else f"{row.search_rounds:.0f}"
    cells = (row.line, with_margin(row.mean, row.high), *((paper, off) if in_paper else ()), searched)
    return "<tr>" + "".join(f"<td>{escape(cell)}" for cell in cells) + "</tr>"


def _settings(figure: PaperFigure) -> str:
    """What was run, folded away."""
    experiments = [each for part in figure.parts for each in part.experiments]
    rates = dict.fromkeys(_numbers(each.problem.loss_rates) for each in experiments)
    lines = [f"Loss rates: {text}." for text in rates]
    for each in experiments:
        grants = f"thresholds {_numbers(each.problem.thresholds)}, budget {each.problem.budget:g}"
        lines.append(f"{each.label}: {grants}.")
    lines += dict.fromkeys(
        f"{each.policy.label}: {_parameters(describe(each.policy))}." for each in experiments
    )
    items = "".join(f"<li>{escape(line)}" for line in lines)
    return f"<details><summary>Settings</summary><ul>{items}</ul></details>"


def _numbers(values: Any) -> str:
    """Numbers in a row; one that stands for all is said once."""
    texts = [f"{value:g}" for value in values]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _parameters(description: dict[str, Any]) -> str:
    """A described policy in the form of the command line."""
    parts = []
    for name, value in description.items():
        if name in ("policy", "label") or value is None:
            continue
        parts.append(f"{name}={_parameters(value) if isinstance(value, dict) else value}")
    return f"{description['policy']}({', '.join(parts)})"


def _facts(made: Reproduction) -> str:
    facts = {
        "Repetitions": str(made.replications),
        "Seed": str(made.seed),
        "Time": f"{made.seconds:.1f} s for the simulations",
        "Versions": ", ".join(f"{name} {number}" for name, number in versions().items()),
    }
    rows = "".join(f"<tr><td>{name}<td>{escape(value)}</tr>" for name, value in facts.items())
    return f'<table class="plain">{rows}</table>'


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


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
