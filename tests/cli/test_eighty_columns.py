"""Every screen of a campaign of 24 places, in a terminal that is 80 columns wide."""

import re

import numpy as np
import pytest

import campaign_decider
from allotment import Campaign

WHERE, SIDES = (
    ("Dock", "Main gate", "Car park", "Yard", "Mill", "Harbour"),
    ("north", "south", "east", "west"),
)
PLACES = [f"{where} {side}" for where in WHERE for side in SIDES]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
DECIMALS = re.compile(r"(?<![\d.:-])\d+\.\d+(?![\d.:])")


@pytest.fixture(scope="module", params=["alike", "weighted"])
def store(request, tmp_path_factory):
    """Half a month of reports; losses that cost the same everywhere, or not."""
    folder = tmp_path_factory.mktemp("wide")
    severities = None if request.param == "alike" else {name: 1 + i % 5 for i, name in enumerate(PLACES)}
    most = {name: 4 if i % 3 else 2.5 for i, name in enumerate(PLACES)}
    north = {"arms": PLACES[:8], "least": 2, "most": 9}
    settings = {"arms": PLACES, "budget": 30, "unit": 0.5, "most": most, "severities": severities}
    rng = np.random.default_rng(1)
    with pytest.MonkeyPatch.context() as patch:
        campaign_decider.install(patch.setattr)
        with Campaign.create(folder / "w.db", "w", **settings, groups={"north": north}, seed=1) as campaign:
            for day in range(1, 15):
                plan = campaign.ask(date=f"2026-01-{day:02}")
                campaign.tell(plan.id, {name: int(rng.random() < 0.3) for name in PLACES})
            campaign.ask(date="2026-01-15", fix={"Dock north": 1}, exclude=["Yard east"], budget=20)
    return folder / "w.db"


@pytest.fixture
def screen(allotment, monkeypatch):
    """What a command shows in a terminal of 80 columns."""
    campaign_decider.install(monkeypatch.setattr)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")

    def run(*arguments):
        done = allotment(*arguments)
        assert done.code == 0, done.err
        return COLOURS.sub("", done.out)

    return run


def significant(number):
    return len(number.replace(".", "").lstrip("0"))


COMMANDS = [
    ("ask", "--date", "2026-01-15"),
    ("show", "--date", "2026-01-15"),
    ("show", "--plan", "3"),
    ("status",),
    ("explain",),
    ("explain", "3"),
    ("explain", "--table"),
    ("explain", "Dock north"),
    ("explain", "Yard east"),
    ("frontier", "--target", "4"),
    ("what-if", "--budget", "10"),
    ("what-if", "--moves", "2", "--crew", "1", "--date", "2026-01-16"),
    ("forecast", "--rounds", "3"),
    ("history",),
    ("arms",),
    ("verify",),
]
BY_PLACE = {("status",), ("explain", "--table"), ("what-if", "--budget", "10"), ("arms",), *COMMANDS[1:3]}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_screens_fit_and_numbers_are_short(screen, store, command):
    name, *options = command
    if command == ("ask", "--date", "2026-01-15"):
        options += ["--fix", "Dock north=1", "--exclude", "Yard east", "--budget", "20"]
    out = screen(name, store, *options)
    lines = [line for line in out.splitlines() if str(store) not in line]
    assert max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]
    assert "…" not in out
    long = [number for number in DECIMALS.findall(out) if significant(number) > 3]
    assert not long
    assert not re.search(r"\de[-+]\d", out)
    if command in BY_PLACE:  # a row is a line: no cell is wrapped
        rows = [line for line in lines if line.startswith(tuple(PLACES))]
        assert len(rows) == len(PLACES)
