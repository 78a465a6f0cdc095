"""Snapshots planted in a store: damaged, forged, or made to take gigabytes."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing

import numpy as np

from hostile.bombs import zeros
from hostile.cases import kind
from hostile.forging import mutated, text_of
from hostile.stores import STORE, command_on, pick, planted

HOSTILE_ARRAYS = (
    lambda: np.zeros(0),
    lambda: np.zeros((2, 2), np.int64),
    lambda: np.array(7),
    lambda: np.array([np.nan, np.inf, -1.0]),
    lambda: np.array([-1, -(2**62), 2**62]),
    lambda: np.array(["evil"] * 3),
    lambda: np.array([1 + 2j] * 3),
    lambda: np.array([None, {}], object),
    lambda: np.array([(1, 2.0)], dtype=[("a", "i8"), ("b", "f8")]),
    lambda: np.array([b"x" * 1000]),
    lambda: np.zeros(10**5, np.int8),
    lambda: np.array(["2026-01-01"], "datetime64[D]"),
)


def _members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(members, compression=zipfile.ZIP_STORED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return made.getvalue()


def npy(array):
    made = io.BytesIO()
    np.lib.format.write_array(made, array, allow_pickle=True)
    return made.getvalue()


def header(shape, kind="<i8"):
    """An array that says it is large, and holds nothing."""
    made = io.BytesIO()
    np.lib.format.write_array_header_1_0(made, {"descr": kind, "fortran_order": False, "shape": shape})
    return made.getvalue()


def forged_head(luck, members):
    head = json.loads(np.load(io.BytesIO(members["head.npy"])).tobytes())
    text = text_of(mutated(luck, head)).encode("utf-8", "surrogatepass")
    return npy(np.frombuffer(text, np.uint8))


def _forged(luck, content):
    members = _members(content)
    name = luck.choice(sorted(members))
    how = luck.choice(("array", "array", "head", "head", "drop", "garbage", "header", "bomb", "extra", "values"))
    if how == "array":
        members[name] = npy(luck.choice(HOSTILE_ARRAYS)())
    elif how == "head":
        members["head.npy"] = forged_head(luck, members)
    elif how == "drop":
        del members[name]
    elif how == "garbage":
        members[name] = luck.randbytes(200)
    elif how == "header":
        members[name] = header(luck.choice(((2**40,), (2**31, 2**31), (-1,), (2**62,))))
    elif how == "bomb":
        members[name] = header((2**26,), "<i8") + zeros(2**29)
        return _zipped(members, zipfile.ZIP_DEFLATED)
    elif how == "extra":
        members["planted.npy"] = header((2**25,)) + zeros(2**28)
        return _zipped(members, zipfile.ZIP_DEFLATED)
    else:
        array = np.load(io.BytesIO(members[name]), allow_pickle=False).copy()
        if array.size:
            array.flat[luck.randrange(array.size)] += 1
        members[name] = npy(array)
    return _zipped(members)


@kind("store-snapshot", cases=80, quick=4)
def snapshot(luck, work, masters):
    """Commands answer as before: what a snapshot says can be derived from the history."""
    source, name = "kept.db", pick(luck)
    path = planted(masters, work, source)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (content,) = connection.execute("SELECT content FROM allotment_snapshots").fetchone()
        how = luck.choice(("flip", "cut", "forged", "forged", "forged", "forged", "text", "empty", "number", "hash"))
        if how == "flip":
            flipped = bytearray(content)
            flipped[luck.randrange(len(flipped))] ^= 1 << luck.randrange(8)
            content = bytes(flipped)
        elif how == "cut":
            content = content[: luck.randrange(len(content))]
        elif how == "forged":
            content = _forged(luck, content)
        elif how in ("text", "empty"):
            content = {"text": "evil", "empty": b""}[how]
        elif how == "number":
            connection.execute("UPDATE allotment_snapshots SET number = ?", (luck.choice((-1, 0, 3, 14, 2**60, "x")),))
        else:
            connection.execute("UPDATE allotment_snapshots SET hash = ?", (luck.choice(("", "x", b"\xff", 7)),))
        connection.execute("UPDATE allotment_snapshots SET content = ?", (content,))
    return command_on(masters, source, name, may_change=(STORE,) if name == "verify" else ())
