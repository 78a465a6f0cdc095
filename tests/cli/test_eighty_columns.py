"""Every screen of a campaign of 24 places, in a terminal that is 80 columns wide."""

import re
import shutil
from contextlib import nullcontext
from datetime import UTC, datetime

import numpy as np
import pytest

import campaign_decider
from allotment import Campaign
from allotment.campaign.forms import names
from allotment.cli.app import CAMPAIGNS, OVERVIEW, app
from allotment.compiling import python_calls

WHERE, SIDES = (
    ("Dock", "Main gate", "Car park", "Yard", "Mill", "Harbour"),
    ("north", "south", "east", "west"),
)
PLACES = [f"{where} {side}" for where in WHERE for side in SIDES]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
DECIMALS = re.compile(r"(?<![\d.:-])\d+\.\d+(?![\d.:])")
STORE, TODAY = "w.db", "2026-01-15"
ORDERS = ("--fix", "Dock north=1", "--exclude", "Yard east", "--budget", "20")
TABLE = "name,most,crew\n" + "".join(f"{name},4,3\n" for name in PLACES)
LOG = "date,place,amount,incidents\n" + "".join(
    f"2025-12-{d:02},Dock north,1,{d % 2}\n" for d in range(1, 29)
)

SCREENS = {  # of each command: arguments after the store, or all of them if the store is not the first
    "new": [("new", "new.db", "--places", "zones.csv", "--budget", 30, "--unit", 0.5, "--moves", 2)],
    "import": [("log.csv",), ("log.csv", "--dry-run"), ("bad.csv", "--dry-run")],
    "ask": [ORDERS, ("--again",), ("--date", "tomorrow", "--moves", 3)],
    "show": [(), ("--plan", "3")],
    "sheet": [("--out", "sheet.html")],
    "tell": [
        ("Dock north=1",),
        ("--others", "quiet"),
        ("--date", "2026-01-14", "Dock north=1", "Dock south=0", "--correct"),
    ],
    "remark": [("Fair in town", "--date", "yesterday")],
    "close": [("15",), ("--before", "tomorrow")],
    "cancel": [("15",)],
    "undo": [("3",)],
    "places": [
        (),
        ("--add", "Shed", "--most", 2),
        ("--retire", "Yard east"),
        ("--rename", "Yard east", "Yard"),
    ],
    "situations": [()],
    "change": [("--severity", 3), ("--crew", 2, "--moves", 1), ("--group", "north=1:8")],
    "status": [()],
    "unreported": [(), ("--days", "1")],
    "explain": [(), ("3",), ("--table",), ("Dock north",), ("Yard east",), ("--date", "2026-01-14")],
    "frontier": [("--target", "4"), ("--target", "0.0001")],
    "what-if": [("--budget", "10"), ("--moves", "2", "--crew", "1", "--date", "2026-01-16")],
    "forecast": [("--rounds", "3")],
    "effect": [("--plan",)],
    "record": [(), ("--by", "week"), ("--by", "place")],
    "check": [()],
    "history": [(), ("--kind", "told"), ("--date", "2026-01-14")],
    "export": [("history.jsonl",)],
    "replay": [("replay", "exported.jsonl", "other.db")],
    "backup": [("copy.db",)],
    "restore": [("restore", "backup.db", STORE)],
    "verify": [()],
    OVERVIEW: [()],
}
OF_ALL_PLACES = {("show",), ("status",), ("explain", "--table"), ("what-if", "--budget", "10"), ("places",)}
CASES = [(command, arguments) for command, each in SCREENS.items() for arguments in each]


def campaign_commands():
    """The commands of campaigns, as the app has them."""
    from typer.main import get_command

    import allotment.cli.campaigns  # noqa: F401 - its commands join the app

    listed = get_command(app).commands
    return {name for name, each in listed.items() if each.rich_help_panel == CAMPAIGNS} | {OVERVIEW}


@pytest.fixture(scope="module", params=["alike", "weighted"])
def folder(request, tmp_path_factory):
    """Half a month of reports, and files for commands; losses that cost the same everywhere, or not."""
    folder = tmp_path_factory.mktemp("wide")
    severities = None if request.param == "alike" else {name: 1 + i % 5 for i, name in enumerate(PLACES)}
    most = {name: 4 if i % 3 else 2.5 for i, name in enumerate(PLACES)}
    north = {"arms": PLACES[:8], "least": 2, "most": 9}
    settings = {"arms": PLACES, "budget": 30, "unit": 0.5, "most": most, "severities": severities}
    rng = np.random.default_rng(1)
    with pytest.MonkeyPatch.context() as patch:
        campaign_decider.install(patch.setattr)
        settings |= {"groups": {"north": north}, "timezone": "UTC", "seed": 1}
        with Campaign.create(folder / STORE, "w", **settings) as campaign:
            for day in range(1, 15):
                plan = campaign.ask(date=f"2026-01-{day:02}")
                campaign.tell(plan.id, {name: int(rng.random() < 0.3) for name in PLACES})
            campaign.ask(date=TODAY, fix={"Dock north": 1}, exclude=["Yard east"], budget=20)
            campaign.export(folder / "exported.jsonl")
            campaign.backup(folder / "backup.db")
    (folder / "zones.csv").write_text(TABLE)
    (folder / "log.csv").write_text(LOG)
    (folder / "bad.csv").write_text(LOG.replace("Dock north", "Dok north") + "03/04/2025,Dock north,1,0\n")
    return folder


@pytest.fixture
def screen(allotment, monkeypatch, folder, tmp_path):
    """What a command shows, errors and all, in a terminal of 80 columns; each writes into a copy."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    campaign_decider.install(monkeypatch.setattr)
    # a cold cache adds a sentence about compiling
    monkeypatch.setattr(python_calls, "before_compiling", lambda call: nullcontext())
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 1, 15, 12, tzinfo=UTC))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")

    def run(command, arguments):
        words = arguments if command in arguments[:1] else (command, STORE, *arguments)
        done = allotment(*words)
        assert done.code == (0 if "bad.csv" not in arguments else 2), done.err
        return COLOURS.sub("", done.out + done.err).replace(f"{tmp_path}/", "")

    return run


def significant(number):
    return len(number.replace(".", "").lstrip("0"))


def test_every_command_of_campaigns_has_a_screen_here():
    shown_elsewhere = {"serve", "token"}  # tests/web reads what `serve` prints, tests/campaign/access `token`
    assert {*SCREENS, *shown_elsewhere} == campaign_commands()


@pytest.mark.parametrize(("command", "arguments"), CASES, ids=lambda each: str(each))
def test_screens_fit_and_numbers_are_short(screen, command, arguments):
    out = screen(command, arguments)
    lines = out.splitlines()
    assert lines
    assert max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]
    assert "…" not in out
    assert not [number for number in DECIMALS.findall(out) if significant(number) > 3]
    assert not re.search(r"\de[-+]\d", out)
    if (command, *arguments) in OF_ALL_PLACES:  # a row is a line: no cell is wrapped
        rows = [line for line in lines if line.startswith(tuple(PLACES))]
        assert len(rows) == len(PLACES)


@pytest.mark.parametrize("command", sorted(campaign_commands() | {""}))
def test_help_fits(allotment, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    page = allotment(*filter(None, [command]), "--help").out
    assert max(map(len, page.splitlines())) <= 80
    assert not [line for line in page.splitlines() if line.endswith("...") and "Usage:" not in line]


@pytest.mark.parametrize(
    "arguments",
    [
        ("tell", STORE, "Dock northe=1"),
        ("tell", STORE, "Dock=1"),
        ("ask", STORE, "--exclude", "Dock north"),
        ("import", STORE, "zones.csv"),
        ("explain", STORE, "Dock", "north"),
        ("history", STORE, "--kind", "tell"),
    ],
)
@pytest.mark.usefixtures("screen")
def test_errors_fit(allotment, arguments):
    done = allotment(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("allotment: ")
    assert max(map(len, done.err.splitlines())) <= 80
