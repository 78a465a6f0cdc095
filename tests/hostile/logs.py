"""Tables that people hand over: logs, reports and lists of places, as CSV, Excel and Parquet."""

import functools
import io
import shutil
from datetime import date, datetime, timedelta

from hostile.bombs import archive, rezipped
from hostile.building import LOG
from hostile.cases import Case, kind
from hostile.schemas import makes_sense
from hostile.stores import STORE

CELLS = (
    "", " ", "0", "-1", "1e5", "1e400", "1e-400", "NaN", "inf", "-0", "0.5", "1,5", "1.000,5", "9" * 5000, "1E+999999999",
    "=1+1", "+1", "@x", "-Dock", "\t=1", '"', '""', '"a', "a\nb", "a;b", "\x00", "\x1a", "\ufeff", "Dock", "dock", "Dock ",
    "Caf\u00e9", "Cafe\u0301", "x" * 200_000, "2026-02-30", "9999-12-31", "10000-01-01", "0000-01-01", "1.2.3", "31.12.9999",
    "2026-01-01T00:00:00", "2026-01-01 23:59", "45000", "#REF!", "TRUE", "[bold]", "\ud7ff", "\u202e", "２", "1_000", "0x10", "None",
)
SHEET, STRINGS, BOOK = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"
STYLES, TYPES = "xl/styles.xml", "[Content_Types].xml"


def _import(work, masters, log, *options):
    shutil.copy(masters.stores / "small.db", work / STORE)
    return Case(("import", STORE, log, "--correct", *options), (STORE,), lambda trial: makes_sense(trial))


def mutated_table(luck, text):
    """A CSV table with cells, rows, columns or the dialect changed."""
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(luck.choice((1, 1, 2, 5))):
        how, row = luck.choice(("cell", "cell", "cell", "heading", "drop", "twice", "wide", "column", "many")), luck.choice(rows)
        if how == "cell" and row:
            row[luck.randrange(len(row))] = luck.choice(CELLS)
        elif how == "heading":
            rows[0][luck.randrange(len(rows[0]))] = luck.choice((*CELLS, "date", "place", "name", "evil"))
        elif how == "drop":
            rows.remove(row)
            rows = rows or [[""]]
        elif how == "twice":
            rows.insert(luck.randrange(len(rows)), list(row))
        elif how == "wide":
            row.extend([""] * luck.choice((1, 1000)))
        elif how == "column":
            for each in rows:
                del each[:1]
        else:
            rows += [list(row)] * 3000
    return rows


def as_bytes(luck, rows):
    comma = luck.choice((",", ",", ",", ";", "\t", "|"))
    text = luck.choice(("\n", "\n", "\r\n", "\r")).join(comma.join(row) for row in rows) + "\n"
    content = text.encode(luck.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32")), "surrogatepass")
    if luck.random() < 0.2:
        content = bytearray(content)
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    return bytes(content)


@kind("log-csv", cases=80, quick=4)
def csv_log(luck, work, masters):
    (work / "log.csv").write_bytes(as_bytes(luck, mutated_table(luck, LOG)))
    options = luck.choice(((), (), ("--amount", "1"), ("--period", "2026-01-01", "2026-01-31", "--amount", "0"), ("--incidents", "any")))
    return _import(work, masters, "log.csv", *options)


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
    return rezipped(made.getvalue(), {})


def _part(name):
    import zipfile

    with zipfile.ZipFile(io.BytesIO(excel())) as book:
        return book.read(name).decode()


def _entities(levels=9):
    lines = ['<!ENTITY e0 "aaaaaaaaaa">', *(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels))]
    return f"<?xml version='1.0'?><!DOCTYPE x [{''.join(lines)}]><x>&e{levels - 1};</x>"


def _outside():
    return "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><sst><si><t>&e;</t></si></sst>"


def _far(cell):
    return lambda: {SHEET: _part(SHEET).replace("</sheetData>", f'<row r="{cell.lstrip("XFDA")}"><c r="{cell}"><v>1</v></c></row></sheetData>')}


BOOKS = (
    _far("XFD1048576"),
    _far("A1048576"),
    _far("XFD7"),
    _far("A99999999"),
    _far("XFDAAAA7"),
    lambda: {SHEET: _part(SHEET).replace("<v>", "<v>x", 3)},
    lambda: {SHEET: _part(SHEET).replace("<v>46023</v>", "<v>9999999</v>")},
    lambda: {SHEET: _part(SHEET).replace("<v>46023</v>", "<v>-700000</v>")},
    lambda: {SHEET: _part(SHEET).replace("<v>46023</v>", "<v>1e308</v>")},
    lambda: {SHEET: _part(SHEET).replace("<v>1</v>", "<v>1e400</v>")},
    lambda: {SHEET: _part(SHEET).replace("<v>1</v>", f"<v>{'9' * 5000}</v>")},
    lambda: {SHEET: _part(SHEET).replace("<v>1</v>", "<f>1+1</f>")},
    lambda: {SHEET: _part(SHEET).replace('t="s"', 't="e"')},
    lambda: {SHEET: _part(SHEET).replace('t="s"', 't="d"')},
    lambda: {SHEET: _part(SHEET).replace("<v>0</v>", "<v>99999</v>")},
    lambda: {SHEET: _part(SHEET).replace('r="A1"', 'r="???"')},
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
    lambda: {STRINGS: b"<sst>" + b"<si><t>a</t></si>" * 2**24 + b"</sst>"},
    lambda: {SHEET: _part(SHEET).encode() + b" " * 2**28},
    lambda: {SHEET: _part(SHEET).replace("<sheetData>", "<sheetData>" + "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(9, 4000)))},
)


@kind("log-excel", cases=110, quick=4)
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
        content = rezipped(content, {}, drop=(luck.choice((SHEET, STRINGS, BOOK, STYLES, TYPES, "_rels/.rels", "xl/_rels/workbook.xml.rels")),))
    elif how == "bomb":
        content = archive(luck.choice((SHEET, TYPES)), 2**28)
    elif how == "noise":
        content = luck.choice((b"", b"PK\x03\x04", luck.randbytes(3000), b"PK\x05\x06" + bytes(18)))
    name = "log.xlsx" if how != "name" else luck.choice(("log.csv", "log.parquet", "log.XLSX"))
    (work / name).write_bytes(content)
    case = _import(work, masters, name)
    case.fresh = luck.random() < 0.05
    return case


@functools.cache
def parquet():
    return _parquet_of([date.fromisoformat(row.split(",")[0]) for row in LOG.splitlines()[1:]])


def _parquet_of(days, **columns):
    import pyarrow
    import pyarrow.parquet

    rows = [row.split(",") for row in LOG.splitlines()[1:]]
    table = {
        "date": days,
        "place": [row[1] for row in rows],
        "amount": [float(row[2]) for row in rows],
        "incidents": [int(row[3]) for row in rows],
        **columns,
    }
    made = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(table), made)
    return made.getvalue()


def _far_dates(kind, values):
    import pyarrow

    return lambda: _parquet_of(pyarrow.array(values, pyarrow.int64() if "32" not in kind else pyarrow.int32()).cast(_type(kind)))


def _type(kind):
    import pyarrow

    return {"s": pyarrow.timestamp("s"), "us": pyarrow.timestamp("us"), "ns": pyarrow.timestamp("ns"), "date32": pyarrow.date32()}[kind]


def _bomb():
    import pyarrow
    import pyarrow.parquet

    made = io.BytesIO()
    text = pyarrow.array(["Dock"]).take(pyarrow.array([0] * 10**6))
    table = pyarrow.table({"date": text, "place": text, "incidents": text, "amount": text, **{f"x{n}": text for n in range(30)}})
    pyarrow.parquet.write_table(table, made)
    return made.getvalue()


def _column(name, make):
    return lambda: _parquet_of([date(2026, 1, n) for n in range(1, 6)], **{name: make()})


def _nested():
    return [[{"a": [1]}]] * 5


TABLES = (
    _far_dates("s", [2**40] * 5),
    _far_dates("us", [2**62] * 5),
    _far_dates("ns", [-(2**62)] * 5),
    _far_dates("date32", [2**31 - 1] * 5),
    _far_dates("date32", [-(2**31)] * 5),
    _column("incidents", lambda: [float("nan"), float("inf"), -1.0, 1e300, 0.5]),
    _column("incidents", _nested),
    _column("place", lambda: [b"\xff\xfe"] * 5),
    _column("place", lambda: [None] * 5),
    _column("amount", lambda: [2**62] * 5),
    _column("amount", lambda: [timedelta(1)] * 5),
    _column("x" * 10_000, lambda: [1] * 5),
    _column("=1+1", lambda: ["=1"] * 5),
    _column("Date", lambda: ["2026-01-01"] * 5),
    _bomb,
)


@kind("log-parquet", cases=70, quick=3)
def parquet_log(luck, work, masters):
    content = parquet()
    how = luck.choice(("flip", "flip", "flip", "cut", "table", "table", "noise"))
    if how == "flip":
        flipped = bytearray(content)
        flipped[luck.randrange(len(flipped))] ^= 1 << luck.randrange(8)
        content = bytes(flipped)
    elif how == "cut":
        content = content[: luck.randrange(len(content))] + luck.choice((b"", content[-8:]))
    elif how == "table":
        content = luck.choice(TABLES)()
    else:
        content = luck.choice((b"", b"PAR1", b"PAR1" + bytes(20) + b"PAR1", luck.randbytes(3000)))
    (work / "log.parquet").write_bytes(content)
    return _import(work, masters, "log.parquet")


REPORT = "place,losses,amount\nDock,1,\nGate,0,2\nCourt,0,1\n"
PLACES = "name,most,least,severity,group,threshold\nDock,2,0,1,north,1\nGate,2,1,2,north,\nCourt,1,,,,\n"


@kind("report", cases=40, quick=2)
def report(luck, work, masters):
    shutil.copy(masters.stores / "small.db", work / STORE)
    (work / "report.csv").write_bytes(as_bytes(luck, mutated_table(luck, REPORT)))
    return Case(("tell", STORE, "--plan", "3", "--file", "report.csv"), (STORE,), lambda trial: makes_sense(trial))


@kind("places", cases=40, quick=2)
def places(luck, work, masters):
    (work / "places.csv").write_bytes(as_bytes(luck, mutated_table(luck, PLACES)))
    case = Case(
        ("new", STORE, "--arms", "places.csv", "--budget", "3", "--unit", "1", "--seed", "1", "--timezone", "UTC"),
        (STORE,),
        lambda trial: makes_sense(trial),
    )
    return case


NUMBERS = ("1e-400", "1e400", "1E+999999999", "-1", "0", "NaN", "inf", "", "9" * 5000, "--1", "1_0", "２", "0.1", "=1", "1e-300", "1e300")


@kind("numbers", cases=70, quick=3)
def numbers(luck, work, masters):
    """Absurd numbers and names on the command line."""
    shutil.copy(masters.stores / "small.db", work / STORE)
    (work / "places.csv").write_text(PLACES)
    number, name = luck.choice(NUMBERS), luck.choice(("Dock", "Nowhere", "=x", "", "x" * 5000, "Caf\u00e9"))
    arguments = luck.choice(
        (
            ("change", STORE, "--half-life", number),
            ("change", STORE, "--severity", f"Dock={number}"),
            ("change", STORE, "--budget", number),
            ("change", STORE, "--unit", number),
            ("change", STORE, "--scale", number),
            ("change", STORE, "--most", number),
            ("change", STORE, "--threshold", f"Dock={number}"),
            ("change", STORE, "--group", f"north={number}:{number}"),
            ("tell", STORE, "--plan", "3", f"Dock={number}"),
            ("tell", STORE, "--plan", number, "Dock=1"),
            ("tell", STORE, "--plan", "3", "Dock=1", "--amount", f"Dock={number}"),
            ("tell", STORE, "--plan", "3", f"{name}=1"),
            ("cancel", STORE, number),
            ("undo", STORE, luck.choice((number, f"import-{number}", name))),
            ("arms", STORE, "--csv", "--add", name, "--most", number),
            ("arms", STORE, "--csv", "--rename", "Dock", name),
            ("new", "made.db", "--arms", "places.csv", "--budget", number, "--unit", "1", "--timezone", "UTC"),
            ("new", "made.db", "--arms", "places.csv", "--budget", "3", "--unit", number, "--timezone", "UTC"),
            ("new", "made.db", "--arms", "places.csv", "--budget", "3", "--unit", "1", "--policy", "any-response:learner=no_mod.X"),
            ("explain", STORE, number),
            ("forecast", STORE, "--rounds", number),
            ("what-if", STORE, "--budget", number),
            ("ask", STORE, "--budget", number, "--date", "2026-02-10"),
            ("ask", STORE, "--fix", f"Dock={number}", "--date", "2026-02-10"),
            ("ask", STORE, "--date", luck.choice((number, "0000-00-00", "9999-12-31", "0001-01-01"))),
        )
    )
    made = "made.db" if arguments[0] == "new" else STORE
    return Case(arguments, (made,), lambda trial: makes_sense(trial, made))
