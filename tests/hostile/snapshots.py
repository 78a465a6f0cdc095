"""Snapshots planted in a store: damaged, forged with a digest that fits, or made to take gigabytes."""

import hashlib
import json
import sqlite3
from contextlib import closing

from hostile.bombs import archive
from hostile.cases import kind, of_ending
from hostile.forging import VALUES, mutated, text_of
from hostile.stores import STORE, command_on, pick, planted

DIGEST_BYTES = hashlib.sha256().digest_size
SIZES = (-1, 0, 1, 2**31, 2**40, 2**62, 10**30, 1.5, None, "1")


def _taken_apart(content):
    """A snapshot's format, its head as plain data, and its columns as bytes."""
    form, _, rest = content.partition(b"\n")
    head, _, columns = rest[DIGEST_BYTES:].partition(b"\n")
    return form + b"\n", json.loads(head), columns


def _forged(luck, content):
    form, head, columns = _taken_apart(content)
    how = luck.choice(("head", "head", "head", "size", "kind", "column", "more", "less"))
    if how == "head":
        head = mutated(luck, head, VALUES)
    elif how == "size":
        luck.choice(head["columns"])[2] = luck.choice(SIZES)
    elif how == "kind":
        luck.choice(head["columns"])[1] = luck.choice(
            ("|O", "<U10", "<f8", "<i4", "<i8", "|V8", "<M8[s]", 7, None, "")
        )
    elif how == "column":
        changed = bytearray(columns)
        start = luck.randrange(len(changed) // 4) * 4
        changed[start : start + 4] = luck.choice(
            (b"\xff" * 4, b"\xfe\xff\xff\xff", b"\x00\x00\x00\x7f", luck.randbytes(4))
        )
        columns = bytes(changed)
    elif how == "more":
        columns += bytes(2**20)
    else:
        columns = columns[: luck.randrange(len(columns))]
    body = text_of(head).encode("utf-8", "surrogatepass") + b"\n" + columns
    return form + hashlib.sha256(body).digest() + body


def _damaged(luck, content):
    changed = bytearray(content)
    changed[luck.randrange(len(changed))] ^= 1 << luck.randrange(8)
    return luck.choice(
        (
            bytes(changed),
            bytes(changed),
            content[: luck.randrange(len(content))],
            b"",
            "evil",
            7,
            luck.randbytes(1000),
            archive("head.npy", 2**28, b"\0"),
            content + bytes(2**24),
        )
    )


@kind("store-snapshot", cases=60, quick=(13, 33, 41))
def damaged(luck, work, masters):
    """Whatever a snapshot lost can be derived from the history: commands answer as before."""
    name = pick(luck)
    path = planted(masters, work, "kept.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (content,) = connection.execute("SELECT content FROM allotment_snapshots").fetchone()
        how = luck.choice(("content", "content", "number", "hash"))
        if how == "content":
            value = _damaged(luck, content)
        else:
            value = luck.choice((-1, 0, 3, 14, 17, 2**60, "x", "", b"\xff"))
        connection.execute(f"UPDATE allotment_snapshots SET {how} = ?", (value,))
    return command_on(masters, "kept.db", name)


@kind("store-forged-snapshot", cases=80, quick=(21, 71))
def forged(luck, work, masters):
    """A forger can make a snapshot that fits. `verify` finds it; after that, commands answer as before."""
    name = pick(luck)
    path = planted(masters, work, "kept.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (content,) = connection.execute("SELECT content FROM allotment_snapshots").fetchone()
        connection.execute("UPDATE allotment_snapshots SET content = ?", (_forged(luck, content),))
    case = command_on(masters, "kept.db", name)
    if name not in ("tell", "ask"):
        case.judge = _after_verify(case)
    else:
        case.judge = None
    return case


def _after_verify(case):
    judge = case.judge

    def judged(trial):
        checked = trial.run("verify", STORE)
        if complaint := of_ending(checked):
            return f"verify afterwards: {complaint}"
        for name in ("copy.db", "copy.jsonl"):
            (trial.work / name).unlink(missing_ok=True)
        trial.outcome = trial.run(*case.arguments)
        return of_ending(trial.outcome) or judge(trial)

    return judged
