"""Exported histories: damaged bytes, forged fields, with the chain of hashes made anew or not."""

import json

from hostile.cases import Case, kind
from hostile.forging import forge, rehash, text_of
from hostile.schemas import makes_sense

EXPORT, STORE = "night.jsonl", "made.db"
REPLAY = ("replay", EXPORT, STORE)


def _read(masters):
    heading, *events = (masters.stores / EXPORT).read_text().splitlines()
    return json.loads(heading), [json.loads(line) for line in events]


def _write(work, heading, events):
    text = "".join(text_of(each) + "\n" for each in (heading, *events))
    (work / EXPORT).write_bytes(text.encode("utf-8", "surrogatepass"))


@kind("export-forged", cases=100, quick=(17, 23, 64))
def forged(luck, work, masters):
    """Something was changed and the hashes were not: the replay is refused."""
    heading, events = _read(masters)
    changed = forge(luck, events)
    if luck.random() < 0.2:
        heading[luck.choice(sorted(heading))] = luck.choice((None, "", -1, 10**30, [], "allotment-history-2"))
        changed = events
    elif luck.random() < 0.2:
        first, second = luck.sample(range(len(events)), 2)
        changed = [*events]
        changed[first], changed[second] = changed[second], changed[first]
    _write(work, heading, changed)

    def judge(trial):
        if changed == events and heading == _read(masters)[0]:
            return None
        return _not_as_it_was(trial, masters)

    return Case(REPLAY, (STORE,), judge)


def _not_as_it_was(trial, masters):
    """A forged history that passes must imply what the true one implies."""
    trial.run("export", STORE, "again.jsonl")
    same = (trial.work / "again.jsonl").read_bytes() == (masters.stores / EXPORT).read_bytes()
    return None if same else "a history with broken hashes was taken"


@kind("export-rehashed", cases=160, quick=(146, 152, 156))
def rehashed(luck, work, masters):
    """Nobody can tell that it was forged; but it is taken only if the campaign can be used."""
    heading, events = _read(masters)
    changed = rehash(forge(luck, events))
    _write(work, {**heading, "hash": changed[-1]["hash"], "events": len(changed)}, changed)
    return Case(REPLAY, (STORE,), lambda trial: makes_sense(trial, STORE))


@kind("export-bytes", cases=50, quick=(0, 8))
def damaged(luck, work, masters):
    content = bytearray((masters.stores / EXPORT).read_bytes())
    lines = content.splitlines(keepends=True)
    how = luck.choice(
        ("flip", "flip", "flip", "cut", "twice", "drop", "mark", "nul", "utf-16", "noise", "long", "empty")
    )
    if how == "flip":
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    elif how == "cut":
        del content[luck.randrange(len(content)) :]
    elif how in ("twice", "drop"):
        line = luck.randrange(len(lines))
        lines[line : line + 1] = [lines[line]] * (2 if how == "twice" else 0)
        content = b"".join(lines)
    elif how == "mark":
        content = b"\xef\xbb\xbf" + content
    elif how == "nul":
        content.insert(luck.randrange(len(content)), 0)
    elif how == "utf-16":
        content = content.decode().encode("utf-16")
    elif how == "noise":
        content = luck.randbytes(5000)
    elif how == "long":
        content = lines[0] + b'{"x": "' + b"a" * 2**25 + b'"}\n'
    else:
        content = b""
    (work / EXPORT).write_bytes(content)
    return Case(REPLAY, (STORE,), lambda trial: _not_as_it_was(trial, masters))
