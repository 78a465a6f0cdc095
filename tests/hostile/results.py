"""Saved results of simulations: damaged bytes, forged descriptions, arrays that nobody expects."""

import io
import json
import shutil
import zipfile

import numpy as np

from hostile.arrays import LARGE, UNEXPECTED, header, npy
from hostile.bombs import zeros
from hostile.building import HORIZON, POLICIES, REPLICATIONS
from hostile.cases import Case, kind
from hostile.forging import mutated, text_of

RESULT, PROBLEM = "run.npz", "three.toml"
CHOSEN = tuple(part for policy in POLICIES for part in ("--policy", policy))
SIMULATE = ("simulate", PROBLEM, *CHOSEN, "--horizon", str(HORIZON), "--seed", "1", "--out", RESULT)
LOAD = """
import sys
from allotment import AllotmentError, Result
try:
    result = Result.load("run.npz")
    print(result, result.summary(), result.versions)
except AllotmentError as error:
    print(f"allotment: {error}", file=sys.stderr)
    sys.exit(2)
"""
LOADS = (
    Case(("extend", RESULT, "--replications", str(REPLICATIONS + 1), "--json"), (RESULT,)),
    Case(("extend", RESULT, "--replications", str(REPLICATIONS + 1)), (RESULT,)),
    Case((*SIMULATE, "--replications", str(REPLICATIONS))),
    Case((*SIMULATE, "--replications", str(REPLICATIONS + 1)), (RESULT,)),
    Case(program=LOAD),
)


def _loaded(luck, work, masters, *, same):
    shutil.copy(masters.results / PROBLEM, work / PROBLEM)
    found = luck.choice(LOADS)

    def judge(trial):
        intact = _intact(masters, found)
        return None if trial.outcome.out == intact else "answers otherwise than for the intact result"

    return Case(
        found.arguments, found.makes, judge if same else None, found.program, fresh=luck.random() < 0.03
    )


def _intact(masters, case):
    key = ("result", case.arguments, case.program)
    if key not in masters.kept:
        folder = masters.fresh_folder()
        for name in (RESULT, PROBLEM):
            shutil.copy(masters.results / name, folder / "work" / name)
        outcome = masters.servers["plain"].run(folder, case.arguments, program=case.program)
        assert outcome.code == 0, outcome.err
        masters.kept[key] = outcome.out
    return masters.kept[key]


@kind("result-bytes", cases=70, quick=(3, 52))
def result_bytes(luck, work, masters):
    content = bytearray((masters.results / RESULT).read_bytes())
    how = luck.choice(("flip", "flip", "flip", "flip", "cut", "noise", "zeros", "twice"))
    if how == "flip":
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    elif how == "cut":
        del content[luck.randrange(len(content)) :]
    elif how == "noise":
        content = luck.choice((b"", b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04.", luck.randbytes(2000)))
    elif how == "zeros":
        start = luck.randrange(len(content))
        content[start : start + 64] = bytes(len(content[start : start + 64]))
    else:
        content = bytes(content) * 2
    (work / RESULT).write_bytes(content)
    return _loaded(luck, work, masters, same=True)


@kind("result-forged", cases=70, quick=(62, 68))
def result_forged(luck, work, masters):
    with zipfile.ZipFile(masters.results / RESULT) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name, how = (
        luck.choice(sorted(members)),
        luck.choice(("head", "head", "head", "array", "array", "header", "bomb", "drop", "evil")),
    )
    compression = zipfile.ZIP_DEFLATED if how == "bomb" else zipfile.ZIP_STORED
    if how in ("head", "evil"):
        head = json.loads(str(np.load(io.BytesIO(members["head.npy"]))))
        if how == "evil":
            luck.choice((head["policies"][0], head))["policy"] = "evil_mod.X"
            head["problem"] = luck.choice((head["problem"], {"world": "evil_mod.X", "is": {}}))
        text = text_of(mutated(luck, head) if how == "head" else head)
        members["head.npy"] = npy(np.array(text.encode("utf-8", "replace").decode()))
    elif how == "array":
        members[name] = npy(luck.choice(UNEXPECTED)())
    elif how == "header":
        members[name] = header(luck.choice(LARGE), luck.choice(("<i8", "<f8", "|O", "<U1000000")))
    elif how == "bomb":
        members[luck.choice((name, "planted.npy"))] = header((2**26,)) + zeros(2**29)
    else:
        del members[name]
    with zipfile.ZipFile(work / RESULT, "w", compression, compresslevel=1) as archive:
        for member, content in members.items():
            archive.writestr(zipfile.ZipInfo(member), content, compression, 1)
    return _loaded(luck, work, masters, same=False)
