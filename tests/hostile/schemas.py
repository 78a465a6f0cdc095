"""Stores that SQLite reads well, whose tables are not allotment's: views, triggers, formats, edited rows."""

import sqlite3
from contextlib import closing

from hostile.cases import Case, kind
from hostile.forging import forge, rehash
from hostile.stores import COMMANDS, MAKES, QUICK, STORE, command_on, pick, planted

EVENTS, SNAPSHOTS, CAMPAIGNS = "allotment_events", "allotment_snapshots", "allotment_campaigns"
TABLES = (EVENTS, SNAPSHOTS, CAMPAIGNS, "allotment_version")
FORMATS = (
    "",
    "0000",
    "0002",
    "0003",
    "9" * 5000,
    "0001 ",
    "0001\n",
    "é",
    None,
    1,
    1.5,
    b"0001",
    b"\xff",
    "-1",
    "1",
    "'",
)
COLUMNS = ("at", "by", "kind", "version", "key", "request", "payload", "hash", "number", "campaign")


def _executed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement, *values in statements:
            connection.execute(statement, values)


def _view(luck):
    table = luck.choice(TABLES)
    rows = luck.choice(
        (
            "SELECT * FROM moved",
            "SELECT * FROM moved WHERE 0",
            "SELECT * FROM moved UNION ALL SELECT * FROM moved",
        )
    )
    return [(f"ALTER TABLE {table} RENAME TO moved",), (f"CREATE VIEW {table} AS {rows}",)]


def _endless_view(luck):
    """Rows without end; each is one of the true ones."""
    table = luck.choice((EVENTS, CAMPAIGNS))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    rows = f"{endless} SELECT moved.* FROM n, moved"
    return [(f"ALTER TABLE {table} RENAME TO moved",), (f"CREATE VIEW {table} AS {rows}",)]


def _trigger(luck):
    table = luck.choice((EVENTS, SNAPSHOTS, CAMPAIGNS))
    does = luck.choice(
        (
            "SELECT RAISE(IGNORE)",
            "SELECT RAISE(ABORT, 'no')",
            f"DELETE FROM {EVENTS} WHERE number > 2",
            f"UPDATE {EVENTS} SET payload = '{{}}' WHERE number = 3",
            "INSERT INTO allotment_campaigns (name) SELECT hex(randomblob(8))",
        )
    )
    when = luck.choice(("BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER DELETE"))
    return [(f"CREATE TRIGGER planted {when} ON {table} BEGIN {does}; END",)]


def _extra(luck):
    return [
        luck.choice(
            (
                ("CREATE TABLE planted (x)",),
                ("CREATE TABLE alembic_version (version_num)",),
                ("CREATE VIEW planted AS SELECT * FROM gone",),
                (f"ALTER TABLE {EVENTS} ADD COLUMN planted TEXT DEFAULT 'x'",),
                (f"CREATE INDEX planted ON {EVENTS} (payload)",),
                (f"CREATE INDEX planted ON {EVENTS} (json_extract(payload, '$.plan'))",),
            )
        )
    ]


def _missing(luck):
    table = luck.choice(TABLES)
    column = luck.choice(COLUMNS[:8])
    return [
        luck.choice(
            (
                (f"DROP TABLE {table}",),
                (f"ALTER TABLE {table} RENAME TO moved",),
                (f"ALTER TABLE {EVENTS} RENAME COLUMN '{column}' TO moved",),
                (f"DELETE FROM {table}",),
                (f"DELETE FROM {EVENTS} WHERE number = 1",),
                (f"DELETE FROM {EVENTS} WHERE number = 5",),
                (f"UPDATE {CAMPAIGNS} SET id = 77",),
                (f"UPDATE {CAMPAIGNS} SET name = ?", luck.choice(("", "=1", "x" * 10**5, b"\xff", 7))),
                (f"INSERT INTO {CAMPAIGNS} (name) VALUES (?)", luck.choice(("", "=1", b"\xff\xfe", "other"))),
            )
        )
    ]


def _hollow(luck):
    """A table of the right name without what keeps it in order, with rows twice."""
    return [
        (f"CREATE TABLE hollow AS SELECT * FROM {EVENTS}",),
        (f"DROP TABLE {EVENTS}",),
        (f"ALTER TABLE hollow RENAME TO {EVENTS}",),
        luck.choice(
            (
                (f"INSERT INTO {EVENTS} SELECT * FROM {EVENTS}",),
                (f"UPDATE {EVENTS} SET number = number + 0.5 WHERE number = 4",),
                (f"UPDATE {EVENTS} SET number = '3' WHERE number = 3",),
                (f"UPDATE {EVENTS} SET number = -1 WHERE number = 3",),
                (f"UPDATE {EVENTS} SET hash = NULL WHERE number = 15",),
                (f"UPDATE {EVENTS} SET payload = NULL WHERE number = 2",),
            )
        ),
    ]


def _virtual(luck):
    return [
        (f"ALTER TABLE {EVENTS} RENAME TO moved",),
        (f"CREATE VIRTUAL TABLE {EVENTS} USING fts5({', '.join(COLUMNS)})",),
    ]


@kind("store-planted", cases=90, quick=(8, 25, 43, 44))
def schema(luck, work, masters):
    source, name = luck.choice(("small.db", "kept.db")), pick(luck)
    plant = luck.choice(
        (_view, _endless_view, _trigger, _trigger, _extra, _missing, _missing, _hollow, _virtual)
    )
    path = planted(masters, work, source)
    _executed(path, *plant(luck))
    case = command_on(masters, source, name)
    if name in ("tell", "ask") and plant is _trigger:
        case.judge = _recorded(case.judge)
    return case


def _recorded(judge):
    """Whoever says that something was written must have written it."""

    def judged(trial):
        history = trial.run("history", STORE, "--all", "--csv")
        return judge(trial) or (
            None if history.out.count("\n") == 17 else "reports success, and nothing was stored"
        )

    return judged


@kind("store-format", cases=30, quick=(3, 7))
def formats(luck, work, masters):
    source, name = "small.db", pick(luck)
    path = planted(masters, work, source)
    version = luck.choice(FORMATS)
    how = luck.choice(("set", "set", "also", "none"))
    statements = {
        "set": [("UPDATE allotment_version SET version_num = ?", version)],
        "also": [("INSERT INTO allotment_version VALUES (?)", version or "0000")],
        "none": [("DELETE FROM allotment_version",)],
    }
    try:
        _executed(path, *statements[how])
    except sqlite3.IntegrityError:  # the column takes no NULL
        _executed(path, ("UPDATE allotment_version SET version_num = ''",))
    return command_on(masters, source, name)


def rows_of(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [
            dict(row)
            for row in connection.execute(f"SELECT * FROM {EVENTS} WHERE campaign = 1 ORDER BY number")
        ]


@kind("store-edited", cases=80, quick=(7, 26, 50, 74))
def edited(luck, work, masters):
    """A row changed by SQL; the chain no longer fits."""
    source, name = luck.choice(("small.db", "kept.db")), pick(luck)
    path = planted(masters, work, source)
    number, column = luck.randrange(1, 16), luck.choice(COLUMNS[:8])
    row = rows_of(path)[number - 1]
    if column == "payload" and luck.random() < 0.7:
        value = row["payload"].replace(*luck.choice((("1", "2"), ("Dock", "Gate"), ("{", "["), ("0", "9"))))
    else:
        value = luck.choice(
            ("", "x", "=1", 7, 2**62, -1, b"\xff\xfe", 1.5, "é" * 1000, None, "9999-99-99", "\x00")
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        try:
            connection.execute(
                f"UPDATE {EVENTS} SET '{column}' = ? WHERE campaign = 1 AND number = ?", (value, number)
            )
        except sqlite3.IntegrityError:
            connection.execute(
                f"UPDATE {EVENTS} SET 'by' = 'Eve' WHERE campaign = 1 AND number = ?", (number,)
            )
    return command_on(masters, source, name)


@kind("store-rehashed", cases=80, quick=(52, 60))
def rehashed(luck, work, masters):
    """A row changed and every hash after it made anew: nobody can tell, but the answer must make sense."""
    source, name = luck.choice(("small.db", "kept.db")), luck.choice((*QUICK, *COMMANDS))
    path = planted(masters, work, source)
    events = [{**row, "payload": row["payload"]} for row in rows_of(path)]
    forged = rehash(forge(luck, events, raw=True))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        if luck.random() < 0.5:
            connection.execute(f"DELETE FROM {SNAPSHOTS}")
        for event in forged:
            try:
                connection.execute(
                    f"UPDATE {EVENTS} SET {', '.join(f'{column!r} = ?' for column in COLUMNS[:8])} "
                    "WHERE campaign = 1 AND number = ?",
                    [event[column] for column in COLUMNS[:8]] + [event["number"]],
                )
            except (sqlite3.Error, OverflowError, UnicodeEncodeError):
                continue
    may_change = (STORE,) if name == "verify" else ()  # which drops a snapshot that disagrees
    return Case(COMMANDS[name], MAKES.get(name, ()), makes_sense, may_change=may_change)


def makes_sense(trial, store=STORE):
    """A campaign that passes `verify` can be used: its other commands answer too."""
    from hostile.cases import of_ending

    checked = trial.run("verify", store)
    if complaint := of_ending(checked):
        return f"verify afterwards: {complaint}"
    if checked.code != 0:
        return None
    for arguments in (("status", store), ("places", store, "--csv"), ("history", store, "--csv")):
        found = trial.run(*arguments)
        if complaint := of_ending(found):
            return f"{arguments[0]} afterwards: {complaint}"
        if found.code != 0:
            return f"verify passes, and {arguments[0]} fails: {found.err[:200]}"
        if "--csv" in arguments and any(
            cell.startswith(("=", "+", "@", "-", '"=')) for cell in _cells(found.out)
        ):
            return f"{arguments[0]} --csv prints a cell that a spreadsheet computes"
    return None


def _cells(text):
    import csv
    import io

    return [cell for row in csv.reader(io.StringIO(text)) for cell in row]
