"""The pages that `make bench` writes: they show the stored numbers, which say how they were made."""

import json
import re
from pathlib import Path

import environments
import machine
import page
import pictures
import pytest
import starts

from allotment.campaign import warm_planner

DOCS = Path(__file__).parents[2] / "docs"
STORED = json.loads((DOCS / "studies" / "performance.json").read_text(encoding="utf-8"))
ABOUT = {
    "command": "python it",
    "date": "2026-01-02",
    "machine": "A chip, 2 cores",
    "passes": 5,
    "versions": {"allotment": "1.0", "NumPy": "2.0", "system": "Linux"},
}


@pytest.mark.parametrize("name", ["studies/performance.md", "how-to/scale.md"])
def test_a_page_shows_the_stored_numbers(name):
    text = (DOCS / name).read_text(encoding="utf-8")
    assert page.filled(text, STORED) == text
    assert page.SECTION.search(text)


def test_every_part_says_how_it_was_made():
    assert set(STORED) == {"peers", "games", "growth", "starts", "cluster", "load"}
    for part, found in STORED.items():
        about = found["about"]
        assert about["command"] == f"python benchmarks/performance {part}"
        assert about["passes"] >= (1 if part == "load" else 5)  # 100 programs for a minute, once
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", about["date"])
        assert about["machine"].endswith("cores")
        assert {"allotment", "Python", "NumPy", "Numba"} <= set(about["versions"])
        assert "/" not in about["machine"]
    text = (DOCS / "studies" / "performance.md").read_text(encoding="utf-8")
    for part in STORED.keys() - {"load"}:
        assert page.made_by(STORED[part]["about"]) in text
    assert page.load_table(STORED["load"]) in text
    for picture in ("peers", "growth"):
        assert (DOCS / "figures" / f"performance-{picture}.svg").exists()


def test_the_stored_ratios_are_what_we_promise():
    times = {row["name"].partition(",")[0]: row.get("times") for row in STORED["peers"]["rows"]}
    assert times["SMPyBandits"] >= 85
    assert times["MABWiser"] >= 450
    assert times["NumPy"] >= 3
    assert STORED["cluster"]["times"] <= 1.15
    assert STORED["cluster"]["same"]
    assert STORED["cluster"]["points"] == 200
    later = [row["later"] for row in STORED["starts"]["rows"]]
    assert all(each.get("begins", 0.0) <= 1.5 for each in later)


def test_numpy_learns_as_we_do_in_small_and_short_games():
    for row in STORED["games"]["rows"]:
        assert row["regret"] == pytest.approx(row["peer_regret"], rel=0.1)


def test_games_are_shown_with_the_starts():
    row = {"name": "CTS", "rounds": 5000, "replications": 400, "microseconds": 0.15, "times": 2.13}
    row |= {"peer_microseconds": 0.32, "regret": 27.77, "peer_regret": 27.81}
    stored = {"about": ABOUT, "rows": [row], "starts": {"MP-TS": {"start": 4e-7, "with_round": 1.2e-5}}}
    shown = page.games_table(stored)
    assert "| CTS | 5,000 | 400 | 0.32 | 0.15 | 2.1 | 27.8, 27.8 |" in shown
    assert "| MP-TS | 0.4 µs | 12 µs |" in shown
    assert shown.endswith(page.made_by(ABOUT))


def test_all_peers_learn_alike():
    ours, *others = (row for row in STORED["peers"]["rows"] if "regret" in row)
    for row in others:
        assert row["regret"] == pytest.approx(ours["regret"], rel=0.3)


def test_a_peer_that_is_missing_is_reported_in_the_table():
    row = {"name": "allotment", "version": "1", "replications": 2, "rounds": 1000, "regret": 3.4}
    rows = [
        {**row, "microseconds": 0.754, "times": 1.0},
        {**row, "name": "Slow", "microseconds": 98.76, "times": 131.4},
        {"name": "Gone", "missing": "No matching distribution found"},
    ]
    assert page.peers_table({"about": ABOUT, "rows": rows}) == (
        "| who | version | replications x rounds a pass | µs a round | times ours | regret |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |\n"
        "| allotment | 1 | 2 x 1,000 | 0.75 | 1 | 3 |\n"
        "| Slow | 1 | 2 x 1,000 | 98.8 | 131 | 3 |\n"
        "| Gone |  | could not be installed: No matching distribution found |  |  |  |\n\n"
        "`python it`, medians of 5 passes; 2026-01-02, A chip, 2 cores, Linux; allotment 1.0, NumPy 2.0."
    )


def test_growth_is_told_in_steps():
    series = {"grows": "arms", "who": "X", "measured": "a round", "sizes": [10, 1000]}
    found = page.growth_table(
        {"about": ABOUT, "series": [{**series, "seconds": [2e-6, 0.25], "times": [1e5]}]}
    )
    assert "| arms | X | a round | 10: 2 µs; 1,000: 250 ms x 100,000 |" in found


def test_starts_are_told_first_and_later():
    rows = [
        {"does": "policies", "first": {"shown": 0.6, "done": 0.7}, "later": {"shown": 0.6, "done": 0.65}},
        {
            "does": "simulate x",
            "first": {"shown": 0.8, "begins": 11.0, "done": 12.5},
            "later": {"begins": 0.75, "shown": 1.2, "done": 1.3},
        },
    ]
    found = page.starts_table({"about": ABOUT, "rows": rows})
    assert "| `policies` | 600 ms | 700 ms |  | 650 ms |" in found
    assert "| `simulate x` | 800 ms | 12.5 s | 750 ms | 1.3 s |" in found


def test_numbers_and_times_are_short():
    numbers = [0.123456, 1.0, 4.81, 17.11, 123.4, 1234.5, 123456.0]
    assert [page.short(each) for each in numbers] == ["0.12", "1", "4.8", "17.1", "123", "1,230", "123,000"]
    assert [page.time_of(each) for each in (1.25, 0.05, 2.5e-7)] == ["1.2 s", "50 ms", "0.25 µs"]


def test_what_was_never_measured_stays_as_it_is():
    text = "a\n<!-- peers: begin -->\nold\n<!-- peers: end -->\nb"
    assert page.filled(text, {}) == text


def test_pictures_show_who_is_there():
    peers = pictures.draw_peers(STORED["peers"])
    shown = [each.get_text().replace("\n", " ") for each in peers.axes[0].get_yticklabels()]
    assert sorted(shown) == sorted(row["name"] for row in STORED["peers"]["rows"] if "times" in row)
    growth = pictures.draw_growth(STORED["growth"])
    assert [each.get_xlabel() for each in growth.axes] == list(
        dict.fromkeys(each["grows"] for each in STORED["growth"]["series"])
    )


def test_the_processor_is_named(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor: 0\nmodel name\t: A chip\n")
    assert machine.cpu(file) == "A chip"
    assert machine.cpu(tmp_path / "absent")


def test_what_cannot_be_installed_says_why(tmp_path, monkeypatch):
    (tmp_path / "nobody.txt").write_text("a wrong line\n")
    instead = tmp_path / "tools" / "make-venv"  # makes no environment, since that takes a while
    instead.parent.mkdir()
    instead.write_text('#!/bin/sh\nshift\nexec "$PYTHON" -m pip install --quiet "$@"\n')
    instead.chmod(0o700)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    with pytest.raises(environments.NotInstalledError, match="a wrong line"):
        environments.python_of("nobody", tmp_path, tmp_path / "made")


def test_compiling_ahead_is_for_a_kind_of_planner_that_there_is(monkeypatch):
    marked = []
    monkeypatch.setattr(warm_planner, "compile_and_mark", lambda _, mark: marked.append(mark))
    exec(starts.AHEAD, {})
    assert marked == [warm_planner.KINDS[0].mark]
