"""Hostile files of every kind, met by commands: an unharmed answer, or one sentence and exit code 2.

`pytest tests/hostile -k case_0417` repeats one case. `make soak` runs all, `make test` the quick ones.
"""

import json
import shutil

import pytest

from hostile import laboratory, logs, parquets, results, workbooks
from hostile.cases import Trial, luck_of
from hostile.every_kind import numbered
from hostile.running import made_folder
from hostile.summary import PROPERTY

CASES = [
    pytest.param(
        kind,
        position,
        id=f"case_{number:04}-{kind.name}",
        marks=() if position in kind.quick else pytest.mark.soak,
    )
    for number, kind, position in numbered()
]


@pytest.mark.parametrize(("kind", "position"), CASES)
def test_hostile(kind, position, servers, masters, tmp_path, record_property):
    folder = made_folder(tmp_path / "case")
    case = kind.plant(luck_of(kind, position), folder / "work", masters)
    outcome, complaint = Trial(case, folder, servers).meet()
    found = {"kind": kind.name, "code": outcome.code, "complaint": complaint}
    record_property(PROPERTY, found | {"seconds": outcome.seconds, "peak": outcome.peak})
    command = " ".join(["allotment", *case.arguments]) if case.arguments else case.program
    assert complaint is None, f"{complaint}\n{command}\nin {folder}/work\n{outcome.out}{outcome.err}"


def test_a_thousand_cases_of_which_sixty_are_quick():
    kinds = [(kind, position) for _, kind, position in numbered()]
    assert len(kinds) >= 1000
    assert sum(position in kind.quick for kind, position in kinds) >= 60


@pytest.mark.soak
def test_commands_answer_what_cases_start_from(servers, masters, tmp_path):
    folder = made_folder(tmp_path / "case")
    work = folder / "work"
    for name in ("small.db", "night.jsonl"):
        shutil.copy(masters.stores / name, work)
    for name in (results.RESULT, results.PROBLEM):
        shutil.copy(masters.results / name, work)
    (work / "log.csv").write_text(logs.LOG)
    (work / "log.xlsx").write_bytes(workbooks.excel())
    (work / "log.parquet").write_bytes(parquets.parquet())
    (work / "report.csv").write_text(logs.REPORT)
    (work / "places.csv").write_text(logs.PLACES)
    (work / "p.toml").write_text(laboratory.TOML)
    (work / "grid.json").write_text(json.dumps(laboratory.GRID))
    worlds = [f"{number}.json" for number in range(len(laboratory.WORLDS))]
    for name, world in zip(worlds, laboratory.WORLDS, strict=True):
        (work / name).write_text(json.dumps(world))
    for arguments in (
        *(("import", "small.db", f"log.{kind}", "--correct") for kind in ("csv", "xlsx", "parquet")),
        ("tell", "small.db", "--plan", "3", "--file", "report.csv"),
        ("new", "n.db", "--places", "places.csv", "--budget", "3", "--unit", "1"),
        ("replay", "night.jsonl", "made.db"),
        *(("problem", name) for name in (*worlds, "p.toml")),
        ("sweep", "grid.json", "--out", "s.parquet"),
        ("extend", results.RESULT, "--replications", "3"),
    ):
        outcome = servers["plain"].run(folder, arguments)
        assert outcome.code == 0, (arguments, outcome.err)
