"""Logs as Excel workbooks: damaged bytes, broken XML, far cells, bombs of every kind."""

import functools
import io
import re
import zipfile
from datetime import date, datetime

from hostile.bombs import archive, rezipped
from hostile.cases import kind
from hostile.logs import LOG, imported

SHEET, STRINGS, BOOK = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"
INLINE = re.compile(r't="inlineStr"><is><t>([^<]*)</t></is>')
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHARED = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
STYLES, TYPES = "xl/styles.xml", "[Content_Types].xml"


@functools.cache
def excel():
    """The log as Excel has it, the same bytes every time."""
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = datetime(2026, 1, 1)
    heading, *rows = LOG.splitlines()
    book.active.append(heading.split(","))
    for row in rows:
        day, place, *numbers = row.split(",")
        book.active.append([date.fromisoformat(day), place, *map(int, numbers)])
    made = io.BytesIO()
    book.save(made)
    return _sharing_strings(made.getvalue())


def _sharing_strings(content):
    """The same workbook with its texts in a part of their own, where Excel has them."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        sheet, types = book.read(SHEET).decode(), book.read(TYPES).decode()
    texts = list(dict.fromkeys(INLINE.findall(sheet)))
    shared = INLINE.sub(lambda found: f't="s"><v>{texts.index(found[1])}</v>', sheet)
    table = "".join(f"<si><t>{text}</t></si>" for text in texts)
    types = types.replace("</Types>", f'<Override PartName="/{STRINGS}" ContentType="{SHARED}"/></Types>')
    changes = {SHEET: shared, STRINGS: f'<sst xmlns="{NAMESPACE}">{table}</sst>', TYPES: types}
    return rezipped(content, changes)


def _part(name):
    with zipfile.ZipFile(io.BytesIO(excel())) as book:
        return book.read(name).decode()


def _with(old, new, count=-1):
    """The sheet with something replaced."""
    sheet = _part(SHEET)
    assert old in sheet
    return sheet.replace(old, new, count)


def _entities(levels=9):
    lines = [
        '<!ENTITY e0 "aaaaaaaaaa">',
        *(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels)),
    ]
    return f"<?xml version='1.0'?><!DOCTYPE x [{''.join(lines)}]><x>&e{levels - 1};</x>"


def _outside():
    return "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><sst><si><t>&e;</t></si></sst>"


def _far(cell):
    return lambda: {
        SHEET: _part(SHEET).replace(
            "</sheetData>", f'<row r="{cell.lstrip("XFDA")}"><c r="{cell}"><v>1</v></c></row></sheetData>'
        )
    }


BOOKS = (
    _far("XFD1048576"),
    _far("A1048576"),
    _far("XFD7"),
    _far("A99999999"),
    _far("XFDAAAA7"),
    lambda: {SHEET: _with("<v>", "<v>x", 3)},
    lambda: {SHEET: _with("<v>45992</v>", "<v>9999999</v>")},
    lambda: {SHEET: _with("<v>45992</v>", "<v>-700000</v>")},
    lambda: {SHEET: _with("<v>45992</v>", "<v>1e308</v>")},
    lambda: {SHEET: _with("<v>1</v>", "<v>1e400</v>")},
    lambda: {SHEET: _with("<v>1</v>", f"<v>{'9' * 5000}</v>")},
    lambda: {SHEET: _with("<v>1</v>", "<f>1+1</f>")},
    lambda: {SHEET: _with('t="s"', 't="e"')},
    lambda: {SHEET: _with('t="s"', 't="d"')},
    lambda: {SHEET: _with("<v>0</v>", "<v>99999</v>")},
    lambda: {SHEET: _with('r="A1"', 'r="???"')},
    lambda: {SHEET: _part(SHEET)[:300]},
    lambda: {SHEET: "<x/>"},
    lambda: {SHEET: _entities()},
    lambda: {STRINGS: _entities()},
    lambda: {STRINGS: _outside()},
    lambda: {STRINGS: "<sst/>"},
    lambda: {STYLES: _entities()},
    lambda: {STYLES: "<styleSheet/>"},
    lambda: {BOOK: "<x/>"},
    lambda: {TYPES: "<x/>"},
    lambda: {BOOK: _part(BOOK).replace('sheetId="1"', 'sheetId="evil"')},
    lambda: {"xl/vbaProject.bin": b"evil"},
    lambda: {SHEET: "<?xml version='1.0'?>" + "<a>" * 100_000},
    lambda: {SHEET: _part(SHEET).replace("<sheetData>", "<sheetData>" + '<row r="1"/>' * 200_000)},
    lambda: {SHEET: b" " * 2**28},
    lambda: {STRINGS: f'<sst xmlns="{NAMESPACE}">{"<si><t>a</t></si>" * 2**24}</sst>'},
    lambda: {SHEET: _part(SHEET).encode() + b" " * 2**28},
    lambda: {
        SHEET: _part(SHEET).replace(
            "<sheetData>",
            "<sheetData>" + "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(9, 4000)),
        )
    },
)


@kind("log-excel", cases=110, quick=(41, 88, 107))
def excel_log(luck, work, masters):
    content = excel()
    how = luck.choice(("flip", "flip", "cut", "book", "book", "book", "drop", "bomb", "noise", "name"))
    if how == "flip":
        flipped = bytearray(content)
        for _ in range(luck.choice((1, 1, 4))):
            flipped[luck.randrange(len(flipped))] ^= 1 << luck.randrange(8)
        content = bytes(flipped)
    elif how == "cut":
        content = content[: luck.randrange(len(content))]
    elif how == "book":
        content = rezipped(content, luck.choice(BOOKS)())
    elif how == "drop":
        content = rezipped(
            content,
            {},
            drop=(
                luck.choice(
                    (SHEET, STRINGS, BOOK, STYLES, TYPES, "_rels/.rels", "xl/_rels/workbook.xml.rels")
                ),
            ),
        )
    elif how == "bomb":
        content = archive(luck.choice((SHEET, TYPES)), 2**28)
    elif how == "noise":
        content = luck.choice((b"", b"PK\x03\x04", luck.randbytes(3000), b"PK\x05\x06" + bytes(18)))
    name = "log.xlsx" if how != "name" else luck.choice(("log.csv", "log.parquet", "log.XLSX"))
    (work / name).write_bytes(content)
    case = imported(work, masters, name)
    case.fresh = luck.random() < 0.05
    return case
