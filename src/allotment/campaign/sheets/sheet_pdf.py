"""Duty sheets as PDF, drawn by matplotlib."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allotment.campaign.sheets import page
from allotment.campaign.sheets.duty_sheet import DutySheet
from allotment.errors import InputError
from allotment.plots.figures import our_style
from allotment.system.extras import needed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INCH = 25.4  # millimetres
POINT = INCH / 72
TITLE, SUBTITLE, SMALL = 17.0, 9.5, 7.5  # points
PAD = 1.0  # millimetres between a line and a text
GREY, SHADE = "0.45", "0.9"
FAMILY = "DejaVu Sans"  # comes with matplotlib, so that sheets look the same everywhere
LARGE = 100.0  # points, at which widths are measured without the rounding of small letters
BOX = 80.0  # millimetres: the large box is at most so high
PLACE, HEADING, TOTAL = "place", "heading", "total"


@dataclass(frozen=True)
class _Row:
    """A row of the table: its kind, the lines of its name, and an amount."""

    kind: str
    name: list[str]
    amount: str


class _Font:
    """Widths of texts in the font of the sheet."""

    def __init__(self) -> None:
        from matplotlib.font_manager import findfont, get_font

        regular, bold = (get_font(findfont(f"{FAMILY}:{weight}")) for weight in ("regular", "bold"))
        self.known = regular.get_charmap().keys() & bold.get_charmap().keys()
        bold.set_size(LARGE, 72)
        self.bold: Any = bold

    def width(self, text: str, size: float) -> float:
        """Millimetres that a text of a size in points takes at most: its width in bold letters."""
        self.bold.set_text(text, 0.0)
        return float(self.bold.get_width_height()[0]) / 64 * POINT * size / LARGE

    def wrapped(self, text: str, size: float, room: float) -> list[str]:
        """A text in lines that are not wider than the room; a long word is cut."""
        lines = [""]
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}" if lines[-1] else word
            if self.width(longer, size) <= room:
                lines[-1] = longer
                continue
            lines += [""] if lines[-1] else []
            for letter in word:
                if self.width(lines[-1] + letter, size) > room:
                    lines.append("")
                lines[-1] += letter
        return lines

    def check(self, text: str) -> None:
        """Raise an error if a letter is missing, which the PDF would show as an empty box."""
        for letter in text:
            if ord(letter) not in self.known:
                raise InputError(
                    f"{text!r} has the character {letter!r}, which the font of PDF sheets lacks",
                    "a sheet as .html, which every browser prints",
                    what="path",
                    value=text,
                )


def pdf_of(sheets: Sequence[DutySheet]) -> bytes:
    """The pages of all sheets as a PDF file; the same sheets give the same bytes."""
    needed("matplotlib", "PDF sheets", "plots")
    from matplotlib.backends.backend_pdf import PdfPages

    content = io.BytesIO()
    with our_style():
        about = {"CreationDate": None, "Title": f"{sheets[0].campaign}, {sheets[0].date.isoformat()}"}
        with PdfPages(content, metadata=about) as file:
            for sheet in sheets:
                for figure in drawn(sheet):
                    file.savefig(figure)
    return content.getvalue()


def drawn(sheet: DutySheet) -> "list[Figure]":
    """The pages as figures."""
    font = _Font()
    for text in (sheet.title, sheet.subtitle, sheet.without_grant, *(row.name[0] for row in _rows(sheet))):
        font.check(text)
    height, rows, nothing = _measured(sheet, font)
    room = page.HEIGHT - 2 * page.MARGIN - page.HEAD - height  # a line is for the titles
    last = page.FOOT + len(nothing) * page.SENTENCE
    pages = _paginated(rows, height, room, last)
    title = TITLE * min(1.0, page.INNER / font.width(sheet.title, TITLE))  # a situation may have a long name
    return [_page(sheet, pages, number, height, nothing, title) for number in range(len(pages))]


def _rows(sheet: DutySheet) -> Iterator[_Row]:
    for section in sheet.sections:
        if section.group is not None:
            yield _Row(HEADING, [section.group], str(section.subtotal))
        for name, amount in section.places:
            yield _Row(PLACE, [name], str(amount))
    yield _Row(TOTAL, ["Total"], str(sheet.granted))


def _measured(sheet: DutySheet, font: _Font) -> tuple[float, list[_Row], list[str]]:
    """The height of a line, and rows and the last sentence in lines; smaller lines take smaller letters."""
    nothing = font.wrapped(sheet.without_grant, SUBTITLE, page.INNER - 2 * PAD) if sheet.without_grant else []
    height = page.HIGH
    for _ in range(3):  # a name may take fewer lines in smaller letters
        room = page.COLUMNS[0] - 2 * PAD
        rows = [
            _Row(row.kind, font.wrapped(row.name[0], _letters(height), room), row.amount)
            for row in _rows(sheet)
        ]
        lines = sum(len(row.name) for row in rows) + 1
        height = min(height, page.line_height(lines, len(nothing)))
    return height, rows, nothing


def _letters(height: float) -> float:
    """The size of letters in points, for a line's height."""
    return min(page.LETTER * height / POINT, 11.0)


def _paginated(rows: list[_Row], height: float, room: float, last: float) -> list[list[_Row]]:
    """Rows by page; the last page has room for the box, and no page ends with a heading."""
    pages: list[list[_Row]] = [[]]
    used = 0.0
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        needs = len(row.name) * height
        together = needs + (len(following.name) * height if row.kind == HEADING and following else 0.0)
        if used + together + (last if following is None else 0.0) > room + 0.01 and pages[-1]:
            pages.append([])
            used = 0.0
        pages[-1].append(row)
        used += needs
    return pages


def _page(
    sheet: DutySheet,
    pages: list[list[_Row]],
    number: int,
    height: float,
    nothing: list[str],
    title: float,
) -> "Figure":
    """Draw one page; `title` is the size of its title in points."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(page.WIDTH / INCH, page.HEIGHT / INCH))
    canvas = _Canvas(figure)
    left, top = page.MARGIN, page.MARGIN
    canvas.text(left, top + 4, sheet.title, title, bold=True)
    canvas.text(left, top + 11, sheet.subtitle, SUBTITLE)
    if len(pages) > 1:
        canvas.text(
            page.WIDTH - left, top + 11, f"page {number + 1} of {len(pages)}", SUBTITLE, align="right"
        )
    top += page.HEAD
    canvas.row(top, height, sheet.columns, min(_letters(height), 8.0), bold=True)
    top += height
    for row in pages[number]:
        top = _table_row(canvas, row, top, height)
    if number == len(pages) - 1:
        for line in nothing:
            top += page.SENTENCE
            canvas.text(left, top, line, SUBTITLE)
        canvas.text(left, top + 5, sheet.hint, SMALL)
        canvas.box(left, top + 9, page.INNER, min(page.HEIGHT - page.MARGIN - top - 9, BOX))
        canvas.text(left + PAD, top + 12, sheet.box_title, SMALL + 1)
    return figure


def _table_row(canvas: "_Canvas", row: _Row, top: float, height: float) -> float:
    """Draw a row; returns where the next one begins."""
    size, tall = _letters(height), len(row.name) * height
    if row.kind == HEADING:
        canvas.box(page.MARGIN, top, page.INNER, tall, fill=SHADE)
    elif row.kind == PLACE:
        at = page.MARGIN
        for width in page.COLUMNS:
            canvas.box(at, top, width, tall)
            at += width
    for line, text in enumerate(row.name):
        cells = (text, row.amount if line == 0 else "")
        canvas.row(top + line * height, height, cells, size, bold=row.kind != PLACE)
    return top + tall


class _Canvas:
    """A page that is drawn on in millimetres from its upper left corner."""

    def __init__(self, figure: "Figure") -> None:
        self.axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set(xlim=(0, page.WIDTH), ylim=(page.HEIGHT, 0))
        self.axes.set_axis_off()

    def text(
        self, x: float, y: float, text: str, size: float, *, bold: bool = False, align: str = "left"
    ) -> None:
        """Write a text; dollar signs in names are no formulas."""
        self.axes.text(
            x,
            y,
            text,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            fontfamily=FAMILY,
            ha=align,
            va="center_baseline",
            parse_math=False,
        )

    def row(self, top: float, height: float, cells: tuple[str, ...], size: float, *, bold: bool) -> None:
        """Write a line of cells, each in its column; amounts to the right."""
        at = page.MARGIN
        for position, (text, width) in enumerate(zip(cells, page.COLUMNS, strict=False)):
            amount = position == 1
            x = at + width - PAD if amount else at + PAD
            align = "right" if amount else "left"
            self.text(x, top + height / 2, text, size, bold=bold or amount, align=align)
            at += width

    def box(self, x: float, y: float, width: float, height: float, fill: str = "none") -> None:
        """Draw a box."""
        from matplotlib.patches import Rectangle

        self.axes.add_patch(Rectangle((x, y), width, height, facecolor=fill, edgecolor=GREY, linewidth=0.5))
