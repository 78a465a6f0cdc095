"""Tables as text that people hand over: logs, reports and lists of places."""

import shutil

from hostile.building import IMPORTED
from hostile.cases import Case, kind
from hostile.schemas import makes_sense
from hostile.stores import STORE

LOG = IMPORTED.replace("2026-01", "2025-12")  # of days that no report is about yet
CELLS = (
    "",
    " ",
    "0",
    "-1",
    "1e5",
    "1e400",
    "1e-400",
    "NaN",
    "inf",
    "-0",
    "0.5",
    "1,5",
    "1.000,5",
    "9" * 5000,
    "1E+999999999",
    "=1+1",
    "+1",
    "@x",
    "-Dock",
    "\t=1",
    '"',
    '""',
    '"a',
    "a\nb",
    "a;b",
    "\x00",
    "\x1a",
    "\ufeff",
    "Dock",
    "dock",
    "Dock ",
    "Caf\u00e9",
    "Cafe\u0301",
    "x" * 200_000,
    "2026-02-30",
    "9999-12-31",
    "10000-01-01",
    "0000-01-01",
    "1.2.3",
    "31.12.9999",
    "2026-01-01T00:00:00",
    "2026-01-01 23:59",
    "45000",
    "#REF!",
    "TRUE",
    "[bold]",
    "\ud7ff",
    "\u202e",
    "\uff12",
    "1_000",
    "0x10",
    "None",
)
CHANGES = (*["cell"] * 6, "heading", "drop", "twice", "wide", "column", "many")


def imported(work, masters, log, *options):
    shutil.copy(masters.stores / "small.db", work / STORE)
    return Case(("import", STORE, log, "--correct", *options), (STORE,), makes_sense)


def mutated_table(luck, text):
    """The rows of a CSV table with cells, rows or columns changed."""
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(luck.choice((1, 1, 2, 5))):
        how, row = luck.choice(CHANGES), luck.choice(rows)
        if how == "cell" and row:
            row[luck.randrange(len(row))] = luck.choice(CELLS)
        elif how == "heading" and rows[0]:
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
        elif how == "many":
            rows += [list(row)] * 3000
    return rows


def as_bytes(luck, rows):
    """A table as text, mostly in the usual dialect and encoding."""
    comma = luck.choice((*"," * 8, ";", "\t", "|"))
    text = luck.choice(("\n", "\n", "\r\n", "\r")).join(comma.join(row) for row in rows) + "\n"
    encoding = luck.choice((*["utf-8"] * 6, "utf-8-sig", "utf-16", "utf-32", "cp1252"))
    content = text.encode(encoding, "replace")
    if luck.random() < 0.2:
        content = bytearray(content)
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    return bytes(content)


@kind("log-csv", cases=80, quick=(37, 40))
def csv_log(luck, work, masters):
    (work / "log.csv").write_bytes(as_bytes(luck, mutated_table(luck, LOG)))
    options = luck.choice(
        (
            (),
            (),
            ("--amount", "1"),
            ("--period", "2026-01-01", "2026-01-31", "--amount", "0"),
            ("--incidents", "any"),
        )
    )
    return imported(work, masters, "log.csv", *options)


REPORT = "place,losses,amount\nDock,1,\nGate,0,2\nCourt,0,1\n"
PLACES = "name,most,least,severity,group,threshold\nDock,2,0,1,north,1\nGate,2,1,2,north,\nCourt,1,,,,\n"


@kind("report", cases=40, quick=(23,))
def report(luck, work, masters):
    shutil.copy(masters.stores / "small.db", work / STORE)
    (work / "report.csv").write_bytes(as_bytes(luck, mutated_table(luck, REPORT)))
    return Case(("tell", STORE, "--plan", "3", "--file", "report.csv"), (STORE,), makes_sense)


@kind("places", cases=40, quick=(12,))
def places(luck, work, masters):
    (work / "places.csv").write_bytes(as_bytes(luck, mutated_table(luck, PLACES)))
    return Case(
        (
            "new",
            STORE,
            "--places",
            "places.csv",
            "--budget",
            "3",
            "--unit",
            "1",
            "--seed",
            "1",
            "--timezone",
            "UTC",
        ),
        (STORE,),
        makes_sense,
    )
