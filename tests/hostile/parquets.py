"""Logs as Parquet files: damaged bytes, dates that no calendar has, odd types, columns without end."""

import functools
import io
from datetime import date, timedelta

from hostile.cases import kind
from hostile.logs import LOG, imported


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

    return lambda: _parquet_of(
        pyarrow.array(values, pyarrow.int64() if "32" not in kind else pyarrow.int32()).cast(_type(kind))
    )


def _type(kind):
    import pyarrow

    return {
        "s": pyarrow.timestamp("s"),
        "us": pyarrow.timestamp("us"),
        "ns": pyarrow.timestamp("ns"),
        "date32": pyarrow.date32(),
    }[kind]


def _bomb():
    import pyarrow
    import pyarrow.parquet

    made = io.BytesIO()
    text = pyarrow.array(["Dock"]).take(pyarrow.array([0] * 10**6))
    table = pyarrow.table(
        {"date": text, "place": text, "incidents": text, "amount": text, **{f"x{n}": text for n in range(30)}}
    )
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


@kind("log-parquet", cases=70, quick=(30, 52))
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
    return imported(work, masters, "log.parquet")
