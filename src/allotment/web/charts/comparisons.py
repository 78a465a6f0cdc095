"""What was expected, with its band, beside what happened: a row for each name."""

from collections.abc import Sequence

from markupsafe import Markup

from allotment.campaign.forms.answer import short
from allotment.plots.comparisons import EXPECTED, HAPPENED, OUTSIDE, Compared, ComparedPanel, shortened
from allotment.web.charts.bands import ticks
from allotment.web.charts.svg import element, path_of, picture

WIDTH, EDGE, ROW = 360.0, 10.0, 38.0
NAME_BASE, BAR_TOP, BAR = 13.0, 18.0, 12.0
AXIS, KEY_ROW = 40.0, 18.0
DOT = 4.5


def compared_chart(panel: ComparedPanel) -> Markup:
    """Draw a panel: the band as a bar, the expectation as a line across it, what happened as a dot."""
    marks = ticks(panel.top)
    base = len(panel.rows) * ROW + 4.0

    def across(value: float) -> float:
        return EDGE + (WIDTH - 2 * EDGE) * value / marks[-1]

    parts = []
    for mark in marks:
        x = across(mark)
        parts.append(element("line", x1=x, y1=0.0, x2=x, y2=base, class_="chart__grid"))
        parts.append(element("text", short(mark), x=x, y=base + 14, text_anchor="middle"))
    parts.append(element("text", panel.title, x=WIDTH / 2, y=base + 30, text_anchor="middle"))
    for number, row in enumerate(panel.rows):
        top = number * ROW
        parts.append(element("text", shortened(row.name), x=EDGE, y=top + NAME_BASE, class_="chart__name"))
        parts += _band(top + BAR_TOP, across(row.low), across(row.high), across(row.expected))
        parts.append(_dot(across(row.happened), top + BAR_TOP + BAR / 2, inside=row.inside))
    keys = _keys(base + AXIS, any(not row.inside for row in panel.rows))
    height = base + AXIS + KEY_ROW * (len(keys) // 2)
    label = f"{panel.title}: expected with 90 % bands, and what happened"
    return picture([*parts, *keys], WIDTH, height, label, _in_words(panel.rows), kind="chart--bands")


def _band(top: float, low: float, high: float, expected: float) -> list[Markup]:
    bar, line, end = "chart__expected", "chart__line chart__line--0", top + BAR
    return [
        element("rect", x=low, y=top, width=max(high - low, 1.0), height=BAR, class_=bar),
        element("line", x1=expected, y1=top, x2=expected, y2=end, class_=line),
    ]


def _dot(x: float, y: float, *, inside: bool) -> Markup:
    """What happened: a circle inside the band, a diamond outside, so that colour is not needed."""
    if inside:
        return element("circle", cx=x, cy=y, r=DOT, class_="chart__happened")
    corners = [(x, y - 1.4 * DOT), (x + 1.4 * DOT, y), (x, y + 1.4 * DOT), (x - 1.4 * DOT, y)]
    return element("path", d=path_of(corners, closed=True), class_="chart__happened chart__happened--outside")


def _keys(top: float, has_outside: bool) -> list[Markup]:
    """A mark and its words, a row each under the axis."""
    band = element("rect", x=EDGE, y=top, width=12.0, height=10.0, class_="chart__expected")
    rows = [(band, EXPECTED), (_dot(EDGE + 6, top + KEY_ROW + 5, inside=True), HAPPENED)]
    if has_outside:
        rows.append((_dot(EDGE + 6, top + 2 * KEY_ROW + 5, inside=False), OUTSIDE))
    parts = []
    for number, (mark, words) in enumerate(rows):
        parts += [mark, element("text", words, x=EDGE + 20, y=top + KEY_ROW * number + 9)]
    return parts


def _in_words(rows: Sequence[Compared]) -> str:
    """Each row, for people who do not see it."""
    return " ".join(
        f"{row.name}: {short(row.expected)} expected ({short(row.low)} to {short(row.high)}), "
        f"{short(row.happened)} happened."
        for row in rows
    )
