"""Lines with bands and dots on one pair of axes: response curves, frontiers, forecasts."""

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from allotment.campaign.forms.answer import short
from allotment.plots.bands import Band, BandPanel
from allotment.tolerance import ceil_with_tolerance
from allotment.web.charts.svg import element, path_of, picture

WIDTH, HEIGHT = 360.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 12.0, 12.0, 44.0  # five digits stand left of the axis
KEY_ROW = 18.0
COLOURS = 4  # classes in the stylesheet
LARGEST_DOT = 7.0
SMALLEST = 1e-200  # highest value of an axis that is drawn to scale
Place = Callable[[float, float], tuple[float, float]]


def band_chart(
    panel: BandPanel, x_label: str, y_label: str, *, at_label: str = "", dots_label: str = ""
) -> Markup:
    """Draw a panel; `at_label` and `dots_label` say what the dotted line and the dots are."""
    xs = [x for band in panel.bands for x in band.x] + [dot.x for dot in panel.dots]
    whole = all(isinstance(x, int) for band in panel.bands for x in band.x)  # half a round is none
    x_ticks, y_ticks = ticks(max([*xs, 1e-9]), whole=whole), ticks(panel.top)
    right, highest = max([*xs, 1e-9]), y_ticks[-1]

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (WIDTH - LEFT - RIGHT) * x / right
        return across, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / highest

    parts = [*_axes(place, [x for x in x_ticks if x <= right], y_ticks, right, x_label, y_label)]
    drawn = [_band(place, band, number % COLOURS) for number, band in enumerate(panel.bands)]
    parts += [each for around, _ in drawn for each in around]
    parts += [line for _, line in reversed(drawn)]  # the first line goes on top
    heaviest = max([dot.weight for dot in panel.dots], default=1.0) or 1.0
    for dot in panel.dots:
        x, y = place(dot.x, dot.y)
        radius = max(2.0, LARGEST_DOT * math.sqrt(dot.weight / heaviest))
        parts.append(element("circle", cx=x, cy=y, r=radius, class_="chart__dot"))
    if panel.at is not None:
        (x, low), (_, high) = place(panel.at, 0.0), place(panel.at, highest)
        parts.append(element("line", x1=x, y1=low, x2=x, y2=high, class_="chart__at"))
    keys = _keys(panel, at_label, dots_label)
    title = f"{panel.title}: " if panel.title else ""
    label = f"{title}{y_label} against {x_label[:1].lower()}{x_label[1:]}"
    height = HEIGHT + KEY_ROW * len(keys) / 2
    return picture([*parts, *keys], WIDTH, height, label, _in_words(panel), kind="chart--bands")


def ticks(highest: float, *, whole: bool = False) -> list[float]:
    """Round numbers from 0 to at least the highest, about five; whole ones if wanted.

    >>> ticks(0.83)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not SMALLEST <= highest < math.inf:  # a smaller number is drawn as nothing
        highest = 1.0
    rough = max(highest / 5.0, 1.0) if whole else highest / 5.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1.0, 2.0, 5.0, 10.0) if power * each >= rough * 0.999)
    return [float(f"{number * step:.12g}") for number in range(ceil_with_tolerance(highest / step) + 1)]


def _in_words(panel: BandPanel) -> str:
    """Where each line begins and ends, for people who do not see it."""
    said = [
        f"{band.label}: {short(band.middle[0])} at {short(band.x[0])}, {short(band.middle[-1])} at "
        f"{short(band.x[-1])}."
        for band in panel.bands
        if len(band.x)
    ]
    return " ".join(said)


def _axes(
    place: Place, x_ticks: Sequence[float], y_ticks: Sequence[float], right: float, x_label: str, y_label: str
) -> list[Markup]:
    parts = []
    for y in y_ticks:
        (left, up), (end, _) = place(0.0, y), place(right, y)
        parts.append(element("line", x1=left, y1=up, x2=end, y2=up, class_="chart__grid"))
        parts.append(element("text", short(y), x=left - 6, y=up + 4, text_anchor="end"))
    for x in x_ticks:
        across, base = place(x, 0.0)
        parts.append(element("text", short(x), x=across, y=base + 16, text_anchor="middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(element("text", x_label, x=middle, y=HEIGHT - 8, text_anchor="middle"))
    turned = f"translate(12 {(TOP + HEIGHT - BOTTOM) / 2:g}) rotate(-90)"
    return [*parts, element("text", y_label, transform=turned, text_anchor="middle")]


def _band(place: Place, band: Band, colour: int) -> tuple[list[Markup], Markup]:
    """The band, if there is one, and its line. The bands beside the first are faint."""
    parts = []
    if len(band.low):
        upper = [place(x, y) for x, y in zip(band.x, band.high, strict=True)]
        lower = [place(x, y) for x, y in zip(band.x, band.low, strict=True)]
        around = path_of([*upper, *reversed(lower)], closed=True)
        faint = " chart__band--faint" if colour else ""
        parts.append(element("path", d=around, class_=f"chart__band chart__band--{colour}{faint}"))
    line = path_of([place(x, y) for x, y in zip(band.x, band.middle, strict=True)])
    return parts, element("path", d=line, class_=f"chart__line chart__line--{colour}")


def _keys(panel: BandPanel, at_label: str, dots_label: str) -> list[Markup]:
    """What each colour, dot and dotted line is, a row each under the axes: a mark and its words."""
    rows = [(f"chart__key--{number % COLOURS}", band.label) for number, band in enumerate(panel.bands)]
    rows += [("chart__dot", dots_label)] if panel.dots and dots_label else []
    parts = []
    for number, (kind, label) in enumerate(rows):
        y = HEIGHT + KEY_ROW * number
        parts.append(element("circle", cx=LEFT + 5, cy=y + 6, r=5, class_=kind))
        parts.append(element("text", label, x=LEFT + 18, y=y + 10))
    if panel.at is not None and at_label:
        y = HEIGHT + KEY_ROW * len(rows)
        parts.append(element("line", x1=LEFT, y1=y + 6, x2=LEFT + 12, y2=y + 6, class_="chart__at"))
        parts.append(element("text", at_label, x=LEFT + 18, y=y + 10))
    return parts
