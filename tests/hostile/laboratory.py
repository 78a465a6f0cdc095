"""Problems and grids of sweeps as files: one thing changed in data that makes sense, or damaged bytes."""

import json
import math
import shutil

from hostile.cases import Case, kind
from hostile.forging import DEEP, FORMULA, Raw, mutated, text_of
from hostile.results import PROBLEM

WORLDS = (
    {"budget": 1.0, "thresholds": 0.5, "loss_rates": [0.2, 0.5, 0.7]},
    {
        "budget": 2.0,
        "thresholds": [0.5, 0.7, 0.9],
        "loss_rates": [0.2, 0.5, 0.7],
        "unit": 0.1,
        "severities": [1.0, 2.0, 3.0],
    },
    {"budget": 1.0, "loss_rates": [0.2, 0.5], "response": {"kind": "exponential", "scale": 0.5}},
    {
        "budget": 1.0,
        "stages": [
            {"from": 1, "thresholds": 0.5, "loss_rates": [0.2, 0.5]},
            {"from": 4, "thresholds": 0.5, "loss_rates": [0.5, 0.2]},
        ],
    },
)
TOML = """budget = 1.0
loss_rates = [0.2, 0.5]
names = ["Dock", "Gate"]
losses = "binary"
unit = 0.25
[response]
kind = "linear"
full = 0.8
leak = 0.1
"""
WILD = (
    None,
    True,
    -1,
    0,
    1,
    2,
    10**9,
    10**30,
    2**63,
    0.5,
    -0.5,
    1e308,
    1e-320,
    Raw("NaN"),
    Raw("-Infinity"),
    Raw("1e400"),
    "",
    "0.5",
    FORMULA,
    "evil_mod.X",
    "x" * 10_000,
    [],
    {},
    [None],
    [0.5] * 2000,
    [[0.5]],
    {"kind": "evil_mod.X"},
    Raw("1" * 5000),
    DEEP,
    {"world": "evil_mod.X", "is": {}},
)
ODD_TOML = (
    "nan",
    "-inf",
    "1e400",
    "9" * 5000,
    "[]",
    "{}",
    "true",
    "-1",
    "0",
    "1979-05-27",
    '""',
    "[[[]]]",
    "0x10",
    "[" * 5000,
)
BYTES = ("flip", "flip", "cut", "noise", "nul", "mark")


def _written(luck, work, name, content):
    """Plain data as a JSON file, or as TOML with its bytes damaged."""
    data = text_of(content).encode("utf-8", "surrogatepass")
    if luck.random() < 0.25:
        data = bytearray(data)
        how = luck.choice(BYTES)
        if how == "flip":
            data[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
        elif how == "cut":
            del data[luck.randrange(len(data)) :]
        elif how == "noise":
            data = luck.randbytes(500)
        else:
            data.insert(luck.randrange(len(data)), 0 if how == "nul" else 0xEF)
    (work / name).write_bytes(data)
    return name


def changed_toml(luck, text):
    """TOML with a line or a value changed."""
    lines = text.splitlines()
    for _ in range(luck.choice((1, 1, 3))):
        at = luck.randrange(len(lines))
        name, equals, _ = lines[at].partition("=")
        lines[at] = luck.choice(
            (
                f"{name}= {luck.choice(ODD_TOML)}",
                f"{name}{equals}",
                f"[{name.strip()}]",
                f"a.b.c.{name.strip() or 'd'} = 1",
                ".".join(["a"] * 3000) + " = 1",
                lines[at] * 2,
                "",
            )
        )
    return "\n".join(lines)


@kind("problem", cases=100, quick=(84, 88, 99))
def problem(luck, work, masters):
    world = luck.choice(WORLDS)
    if luck.random() < 0.35:
        name = "p.toml"
        (work / name).write_text(changed_toml(luck, TOML), encoding="utf-8", errors="replace")
    else:
        name = _written(luck, work, "p.json", mutated(luck, world, WILD))
    arguments = luck.choice(
        (
            ("problem", name, "--json"),
            ("problem", name),
            ("simulate", name, "--policy", "equal-split", "--horizon", "5", "--replications", "1", "--json"),
            ("trace", name, "--policy", "equal-split", "--horizon", "5", "--out", "t.csv"),
            ("bounds", name, "--horizon", "5", "--json"),
        )
    )
    return Case(arguments, ("t.csv",), _reads_as_json)


def _reads_as_json(trial):
    if "--json" in trial.case.arguments:
        json.loads(trial.outcome.out, parse_constant=lambda name: 1 / 0)
    if (trial.work / "t.csv").exists():
        cells = [cell for line in (trial.work / "t.csv").read_text().splitlines() for cell in line.split(",")]
        if any(cell.startswith(("=", "+", "@")) for cell in cells):
            return "trace writes a cell that a spreadsheet computes"
    return None


GRID = {
    "horizon": 5,
    "replications": 1,
    "seed": 0,
    "policies": ["equal-split", "csb-st"],
    "problems": [
        "paper-2",
        {"problem": "three.toml", "budget": {"from": 0.5, "to": 1.0, "step": 0.25}},
        {"problem": "random", "arms": [3, 4], "seed": {"from": 1, "to": 2}, "tightness": 0.4},
    ],
    "record": 3,
}
GRIDS = (
    *WILD,
    "evil_mod.X",
    "evil_mod.X:a=1",
    "equal-split:label==1+1",
    "csb-st:learner=evil_mod.X",
    "csb-st:learner=evil_mod.X(a=1)",
    "../three.toml",
    "/etc/passwd",
    "/dev/zero",
    {"from": 0, "to": 10**12},
    {"from": 0, "to": 1, "step": 1e-300},
    {"from": 0, "to": 99_999},
    {"from": 1, "to": 99_999, "step": 1},
    {"from": Raw("NaN"), "to": 1},
    {"from": -(10**30), "to": 10**30, "step": 10**30},
    list(range(3000)),
    10**7,
    10**18,
)


MOST_ROUNDS = 2000  # what a sweep plays takes its time, and is no fault


def _rounds(grid):
    """How many rounds a grid asks for; 0 if it makes no sense, and is refused."""

    def values(axis):
        if isinstance(axis, dict) and "from" in axis:
            return (axis["to"] - axis["from"]) / axis.get("step", 1) + 1
        return len(axis) if isinstance(axis, list) else 1

    try:
        problems = [
            math.prod(map(values, each.values())) for each in grid["problems"] if isinstance(each, dict)
        ]
        rounds = sum(problems) * grid["horizon"] * grid["replications"] * len(grid["policies"])
    except (TypeError, KeyError, ZeroDivisionError, OverflowError):
        return 0
    refused = any(each > 100_000 for each in problems) or max(grid["horizon"], grid["replications"]) > 10**15
    return 0 if refused else rounds


@kind("grid", cases=90, quick=(1, 35))
def grid(luck, work, masters):
    shutil.copy(masters.results / PROBLEM, work / PROBLEM)
    content = mutated(luck, GRID, GRIDS)
    while _rounds(content) > MOST_ROUNDS:
        content = mutated(luck, GRID, GRIDS)
    name = _written(luck, work, "g.json", content)
    return Case(("sweep", name, "--out", "s.parquet"), ("s.parquet", ".s.parquet*", "s.parquet*"), _finished)


def _finished(trial):
    return None if (trial.work / "s.parquet").exists() else "no frame was written"
