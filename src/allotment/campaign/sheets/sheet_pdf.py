"""Duty sheets as PDF."""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allotment.campaign.sheets import page
from allotment.campaign.sheets.duty_sheet import DutySheet
from allotment.errors import InputError
from allotment.system.extras import needed

if TYPE_CHECKING:
    from fpdf import FPDF

POINT = 25.4 / 72  # millimetres
TITLE, SUBTITLE, SMALL = 17.0, 9.5, 7.5  # points
PAD = 1.0  # millimetres between a line and a text
GREY, SHADE = 115, 230
FAMILY = "DejaVu Sans"  # comes with matplotlib, so that sheets look the same everywhere
STYLES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf"}
SHAPED = frozenset({"R", "AL", "NSM"})  # kinds of letters: from right to left, and marks on others
BOX = 80.0  # millimetres: the large box is at most so high
PLACE, HEADING, TOTAL, NOTHING = "place", "heading", "total", "nothing"


@dataclass(frozen=True)
class _Row:
    """A row of the table, or a line of the sentence on places that get nothing.

    Its name is broken into `lines`, and its `height` is in millimetres.
    """

    kind: str
    name: str
    amount: str = ""
    lines: tuple[str, ...] = ()
    height: float = 0.0

    @property
    def style(self) -> str:
        """The letters of its name: groups and the total are bold."""
        return "B" if self.kind in (HEADING, TOTAL) else ""


def pdf_of(sheets: Sequence[DutySheet]) -> bytes:
    """The pages of all sheets as a PDF file; the same sheets give the same bytes."""
    with _paper(f"{sheets[0].campaign}, {sheets[0].date.isoformat()}", sheets[0].date) as paper:
        _check_letters(paper, [text for sheet in sheets for text in _texts(sheet)])
        for sheet in sheets:
            _draw(paper, sheet)
        return bytes(paper.output())


@contextmanager
def _paper(title: str, day: date) -> Iterator["FPDF"]:
    """Empty paper, on which lengths are in millimetres, and the fonts that come with matplotlib."""
    needed("fpdf", "PDF sheets", "plots")
    matplotlib = needed("matplotlib", "PDF sheets", "plots")
    from fpdf import FPDF

    paper = FPDF(format="A4")
    paper.set_auto_page_break(False)
    paper.set_title(title)
    paper.set_creation_date(datetime.combine(day, time(), UTC))
    paper.c_margin = PAD
    paper.set_draw_color(GREY)
    paper.set_fill_color(SHADE)
    paper.set_line_width(0.5 * POINT)
    for style, file in STYLES.items():
        paper.add_font(FAMILY, style, Path(matplotlib.get_data_path(), "fonts", "ttf", file))
    try:
        yield paper
    finally:
        fonts: Any = paper.fonts.values()
        for font in fonts:
            font.close()  # its file


def _texts(sheet: DutySheet) -> Iterator[str]:
    """The texts that users chose."""
    yield from (sheet.title, sheet.subtitle, sheet.note or "", sheet.without_grant)
    yield from (row.name for row in _rows(sheet))


def _check_letters(paper: Any, texts: Sequence[str]) -> None:
    """Raise an error if a letter is missing, which the PDF would show as an empty box."""
    known = set.intersection(*(set(font.cmap) for font in paper.fonts.values()))
    for text in texts:
        if _needs_shaping(text):
            needed("uharfbuzz", "PDF sheets in this script", "plots")
        for letter in text:
            if ord(letter) not in known:
                raise InputError(
                    f"{text!r} has the character {letter!r}, which the font of PDF sheets lacks",
                    "a sheet as .html, which every browser prints",
                    what="path",
                    value=text,
                )


def _needs_shaping(text: str) -> bool:
    """Whether letters change with their neighbours, or run from right to left."""
    return not text.isascii() and not SHAPED.isdisjoint(map(unicodedata.bidirectional, text))


def _draw(paper: "FPDF", sheet: DutySheet) -> None:
    """Draw the pages of a sheet."""
    paper.add_page()  # on which texts are measured, too
    note = _broken(paper, sheet.note, "B", SUBTITLE, page.INNER) if sheet.note else []
    start = page.MARGIN + page.HEAD + len(note) * page.SENTENCE
    height, pages = _layout(paper, sheet, len(note))
    for number, rows in enumerate(pages, start=1):
        if number > 1:
            paper.add_page()
        _draw_head(paper, sheet, f"page {number} of {len(pages)}" if len(pages) > 1 else "")
        _draw_note(paper, note)
        paper.set_xy(page.MARGIN, start)
        paper.set_font(FAMILY, "B", min(_letters(height), 8.0))
        for position, title in enumerate(sheet.columns):
            paper.cell(page.COLUMNS[position], height, title, align="R" if position == 1 else "L")
        top = start + height
        for row in rows:
            _draw_row(paper, row, top, height)
            top += row.height
    _draw_foot(paper, sheet, top)


def _draw_head(paper: "FPDF", sheet: DutySheet, pages: str) -> None:
    """The title, as large as it fits on a line: a situation may have a long name."""
    paper.set_font(FAMILY, "B", TITLE)
    paper.set_font_size(TITLE * min(1.0, page.INNER / paper.get_string_width(sheet.title)))
    paper.text(page.MARGIN, page.MARGIN + 6, _shaped(paper, sheet.title))
    paper.set_font(FAMILY, "", SUBTITLE)
    paper.text(page.MARGIN, page.MARGIN + 12, _shaped(paper, sheet.subtitle))
    paper.text(page.WIDTH - page.MARGIN - paper.get_string_width(pages), page.MARGIN + 12, pages)


def _draw_note(paper: "FPDF", lines: Sequence[str]) -> None:
    """The lines of the note below the subtitle, on every page: pages may be handed to several people."""
    paper.set_font(FAMILY, "B", SUBTITLE)
    for number, line in enumerate(lines):
        paper.set_xy(page.MARGIN - PAD, page.MARGIN + page.HEAD - 2 + number * page.SENTENCE)
        paper.cell(page.INNER, page.SENTENCE, _shaped(paper, line))


def _draw_row(paper: "FPDF", row: _Row, top: float, line: float) -> None:
    """A row: places have boxes to write in."""
    if row.kind == NOTHING:
        paper.set_xy(page.MARGIN, top)
        paper.set_font(FAMILY, row.style, SUBTITLE)
        paper.cell(page.INNER, row.height, _shaped(paper, row.name))
        return
    if row.kind == HEADING:
        paper.rect(page.MARGIN, top, page.INNER, row.height, style="DF")
    elif row.kind == PLACE:
        at = page.MARGIN
        for width in page.COLUMNS:
            paper.rect(at, top, width, row.height)
            at += width
    paper.set_font(FAMILY, row.style, _letters(line))
    for number, text in enumerate(row.lines):
        paper.set_xy(page.MARGIN, top + number * line)
        paper.cell(page.COLUMNS[0], line, _shaped(paper, text))
    paper.set_xy(page.MARGIN + page.COLUMNS[0], top)
    paper.set_font(FAMILY, "B", _letters(line))
    paper.cell(page.COLUMNS[1], line, _shaped(paper, row.amount), align="R")


def _shaped(paper: "FPDF", text: str) -> str:
    """A text that is written next: letters take the forms that their script asks for."""
    paper.set_text_shaping(_needs_shaping(text))
    return text


def _draw_foot(paper: "FPDF", sheet: DutySheet, top: float) -> None:
    """How to fill in the boxes, and the large box."""
    paper.set_font(FAMILY, "", SMALL)
    paper.text(page.MARGIN, top + 6, sheet.hint)
    paper.rect(page.MARGIN, top + 9, page.INNER, min(page.HEIGHT - page.MARGIN - top - 9, BOX))
    paper.set_font_size(SMALL + 1)
    paper.text(page.MARGIN + PAD, top + 13, sheet.box_title)


def _rows(sheet: DutySheet) -> Iterator[_Row]:
    for section in sheet.sections:
        if section.group is not None:
            yield _Row(HEADING, section.group, str(section.subtotal))
        for name, amount in section.places:
            yield _Row(PLACE, name, str(amount))
    yield _Row(TOTAL, "Total", str(sheet.granted))


def _layout(paper: "FPDF", sheet: DutySheet, note: int) -> tuple[float, list[list[_Row]]]:
    """The height of a line of the table, and the rows of each page; `note` is the number of its lines.

    Lines are as high as the page allows. Smaller lines have smaller letters, and so names take fewer lines.
    """
    lines = _broken(paper, sheet.without_grant, "", SUBTITLE, page.INNER) if sheet.without_grant else []
    nothing = [_Row(NOTHING, line, height=page.SENTENCE) for line in lines]
    height, fitting = math.inf, page.line_height(sum(1 for _ in _rows(sheet)) + 1, len(nothing) + note)
    while fitting < height:
        height = fitting
        rows = [_broken_row(paper, row, height) for row in _rows(sheet)]
        fitting = page.line_height(sum(len(row.lines) for row in rows) + 1, len(nothing) + note)
    head = page.HEAD + note * page.SENTENCE + height  # a line is for the titles
    room = page.HEIGHT - 2 * page.MARGIN - head
    return height, _paginated([*rows, *nothing], room)


def _broken_row(paper: "FPDF", row: _Row, height: float) -> _Row:
    """A row with its name in lines of a height."""
    lines = _broken(paper, row.name, row.style, _letters(height), page.COLUMNS[0])
    return replace(row, lines=tuple(lines), height=len(lines) * height)


def _broken(paper: "FPDF", text: str, style: str, size: float, width: float) -> list[str]:
    """A text in lines that fit into a width; a long word is cut. fpdf2 does so, ten times slower."""
    paper.set_font(FAMILY, style, size)
    paper.set_text_shaping(False)  # hardly any text is wider with the forms of its script
    room, lines = width - 2 * PAD, [""]
    if paper.get_string_width(text) <= room:
        return [text]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if paper.get_string_width(longer) <= room:
            lines[-1] = longer
            continue
        lines += [""] if lines[-1] else []
        for letter in word:
            if lines[-1] and paper.get_string_width(lines[-1] + letter) > room:
                lines.append("")
            lines[-1] += letter
    return lines


def _letters(height: float) -> float:
    """The size of letters in points, for a line's height."""
    return min(page.LETTER * height / POINT, 11.0)


def _paginated(rows: list[_Row], room: float) -> list[list[_Row]]:
    """Rows by page; the last page has room for the box, and no page ends with a heading."""
    pages: list[list[_Row]] = [[]]
    used = 0.0
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        together = row.height + (following.height if row.kind == HEADING and following else 0.0)
        if used + together + (page.FOOT if following is None else 0.0) > room + 0.01 and pages[-1]:
            pages.append([])
            used = 0.0
        pages[-1].append(row)
        used += row.height
    return pages
