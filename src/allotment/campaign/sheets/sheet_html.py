"""Duty sheets as HTML that needs no other file and prints on A4."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape

from allotment.campaign.sheets import page
from allotment.campaign.sheets.duty_sheet import DutySheet, Section

# prose: ok
STYLE = """
@page { size: A4; margin: 12mm; }
* { box-sizing: border-box; }
body { font-family: "Liberation Sans", Arial, Helvetica, sans-serif; color: #000; background: #fff;
  width: 186mm; margin: 0 auto; font-size: min(calc(var(--line) * 0.6), 3.6mm); line-height: 1.15; }
h1 { font-size: 6mm; margin: 0 0 1mm; overflow-wrap: anywhere; }
h1 ~ h1 { break-before: page; }
p { margin: 0 0 1.5mm; overflow-wrap: anywhere; }
p.subtitle, p.note, p.nothing { font-size: 3.4mm; line-height: 4.3mm; }
p.subtitle, p.note { margin-bottom: 2mm; }
p.note { font-weight: bold; }
p.hint { font-size: 2.7mm; margin-top: 1.5mm; }
table { border-collapse: collapse; table-layout: fixed; width: 100%; }
thead { display: table-header-group; }
tr { break-inside: avoid; height: var(--line); }
tr.group { break-after: avoid; }
th, td { padding: 0 1mm; text-align: left; overflow-wrap: anywhere; }
td { border: 0.2mm solid #777; }
tr.group th { background: #e4e4e4; border: 0.2mm solid #777;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.amount { text-align: right; }
td.amount { font-weight: bold; }
p.nothing { margin-top: 1.5mm; }
.box { border: 0.3mm solid #000; height: 31mm; padding: 1mm; font-size: 3mm; break-inside: avoid; }
@media screen { body { padding: 12mm 0; } h1 ~ h1 { margin-top: 16mm; } }
"""


def html_of(sheets: Sequence[DutySheet]) -> str:
    """The whole page, with all sheets in the same size of letters. Every name in it is text, never markup."""
    style = _style(min(map(_line_height, sheets)))
    title = escape(f"{sheets[0].campaign}, {sheets[0].date.isoformat()}")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy_of(style)}">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{''.join(map(_sheet, sheets))}</body>\n</html>\n"
    )


def _line_height(sheet: DutySheet) -> float:
    """The height of a line in millimetres with which a sheet fits on its page, if it can."""
    names = [name for section in sheet.sections for name, _ in section.places]
    lines = 2 + sum(section.group is not None for section in sheet.sections)  # titles and total
    lines += sum(1 + len(name) // page.IN_A_LINE for name in names)
    sentences = (sheet.without_grant, sheet.note or "")
    return page.line_height(lines, sum(-(-len(each) // page.IN_A_SENTENCE) for each in sentences))


def _sheet(sheet: DutySheet) -> str:
    """One sheet. Its heading begins a page."""
    titles = "".join(
        f"<th{_class(position)}>{escape(title)}</th>" for position, title in enumerate(sheet.columns)
    )
    body = "".join(_section(section) for section in sheet.sections)
    note = f'<p class="note">{escape(sheet.note)}</p>\n' if sheet.note else ""
    nothing = f'<p class="nothing">{escape(sheet.without_grant)}</p>\n' if sheet.nothing else ""
    return (
        f'<h1>{escape(sheet.title)}</h1>\n<p class="subtitle">{escape(sheet.subtitle)}</p>\n'
        f"{note}<table>\n"
        f"<colgroup>{'<col>' * len(page.COLUMNS)}</colgroup>\n<thead><tr>{titles}</tr></thead>\n"
        f"<tbody>\n{body}{_row('th', ('Total', str(sheet.granted)), 'total')}</tbody>\n</table>\n"
        f'{nothing}<p class="hint">{escape(sheet.hint)}</p>\n'
        f'<div class="box">{escape(sheet.box_title)}</div>\n'
    )


def policy_of(style: str) -> str:
    """The content security policy of a sheet: nothing but its own style, which it names by its hash."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _style(height: float) -> str:
    widths = " ".join(
        f"col:nth-child({number}) {{ width: {width:g}mm; }}"
        for number, width in enumerate(page.COLUMNS, start=1)
    )
    return f"\n:root {{ --line: {height:.2f}mm; }}\n{widths}{STYLE}"


def _section(section: Section) -> str:
    """The rows of a group, the heading with the subtotal first."""
    heading = ""
    if section.group is not None:
        heading = _row("th", (section.group, str(section.subtotal)), "group", last=3)
    return heading + "".join(_row("td", (name, str(amount), "", "", "")) for name, amount in section.places)


def _row(tag: str, cells: Iterable[str], kind: str = "", last: int = 0) -> str:
    """A row; `last` columns at its end are one empty cell."""
    made = "".join(f"<{tag}{_class(i)}>{escape(text)}</{tag}>" for i, text in enumerate(cells))
    rest = f'<{tag} colspan="{last}"></{tag}>' if last else ""
    start = f'<tr class="{kind}">' if kind else "<tr>"
    return f"{start}{made}{rest}</tr>\n"


def _class(position: int) -> str:
    return ' class="amount"' if position == 1 else ""
