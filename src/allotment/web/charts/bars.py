"""Bars: a few numbers side by side, each with its name and its value in words."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from allotment.web.charts.svg import element, joined, picture

WIDTH, ROW, BAR = 320.0, 42.0, 10.0
TEXT_BASE, BAR_TOP = 14.0, 20.0


class Bar(NamedTuple):
    """A number with its name; `words` stand at its end."""

    name: str
    value: float
    words: str
    is_ours: bool = False


def bars(shown: Sequence[Bar], unit: str) -> Markup:
    """Bars from 0; `unit` says what the numbers are."""
    longest = max([each.value for each in shown], default=0.0) or 1.0
    rows = []
    for number, each in enumerate(shown):
        top = number * ROW
        length = max(2.0, WIDTH * each.value / longest)
        kind = "chart__bar chart__bar--ours" if each.is_ours else "chart__bar"
        rows.append(
            joined(
                [
                    element("text", each.name, x=0, y=top + TEXT_BASE, class_="chart__name"),
                    element(
                        "text",
                        each.words,
                        x=WIDTH,
                        y=top + TEXT_BASE,
                        text_anchor="end",
                        class_="chart__value",
                    ),
                    element("rect", x=0, y=top + BAR_TOP, width=length, height=BAR, rx=3, class_=kind),
                ]
            )
        )
    said = "; ".join(f"{each.name} {each.words}" for each in shown)
    base = len(shown) * ROW
    rows.append(element("text", unit[:1].upper() + unit[1:], x=0, y=base + TEXT_BASE))
    return picture(rows, WIDTH, base + 20.0, f"{unit[:1].upper()}{unit[1:]}: {said}")
