"""Campaigns whose plans would take too much memory: refused at the door, and old ones still open."""

import subprocess
import sys

import pytest

from allotment import Campaign, InputError
from allotment.campaign.planning.decision import memory_of, refuse_if_too_large
from allotment.campaign.settings.changes import first_settings
from allotment.system.memory import VARIABLE
from running import PEAK_BYTES

SENTENCE = (
    r"planning for 40 places in 1000 steps of 0\.01 would take about 2\.\d GB of memory, "
    r"and the limit is 1 GB; expected a larger unit, fewer places, or a higher limit in ALLOTMENT_MEMORY_GB"
)


def settings_for(places, steps, **others):
    names = [f"P{i}" for i in range(places)]
    return {"arms": names, "budget": 1, "unit": 0.01, "most": steps / 100, "seed": 1, **others}


@pytest.fixture
def limit(monkeypatch):
    """Sets the limit, in gigabytes."""
    return lambda gigabytes: monkeypatch.setenv(VARIABLE, str(gigabytes))


def test_a_campaign_that_is_too_large_is_not_created(tmp_path, limit):
    limit(1)
    with pytest.raises(InputError, match=SENTENCE):
        Campaign.create(tmp_path / "night.db", "night", **settings_for(40, 1000))
    assert not (tmp_path / "night.db").exists()
    limit(3)
    Campaign.create(tmp_path / "night.db", "night", **settings_for(40, 1000)).close()


def test_changes_are_refused_only_if_they_make_it_larger(tmp_path, limit):
    with Campaign.create(tmp_path / "night.db", "night", **settings_for(40, 500)) as campaign:
        limit(1)
        events = campaign.last_event
        for make_larger in (
            lambda: campaign.change(unit=0.005),
            lambda: campaign.change(scale=8),
        ):
            with pytest.raises(InputError, match="steps of .* would take about"):
                make_larger()
        assert campaign.last_event == events
        limit(0.5)
        with pytest.raises(InputError, match="planning for 41 places in 500 steps"):
            campaign.add_arm("one more", most=1)
        campaign.rename_arm("P1", "Gate")
        campaign.retire_arm("P2")
        with pytest.raises(InputError, match="planning for 40 places"):
            campaign.restore_arm("P2")
        campaign.change(budget=2)
        campaign.change(unit=0.02)


def test_an_old_campaign_that_is_too_large_opens_and_only_plans_are_refused(tmp_path, limit, monkeypatch):
    with Campaign.create(tmp_path / "night.db", "night", **settings_for(40, 1000)) as campaign:
        plan = campaign.ask(date="2026-01-01")
        campaign.export(tmp_path / "night.jsonl")
    monkeypatch.undo()  # the plain decider
    limit(1)
    with Campaign.open(tmp_path / "night.db") as campaign:
        campaign.tell(plan.id, {"P1": 0})
        assert [event.kind for event in campaign.history()] == ["created", "asked", "told"]
        assert campaign.plan("1").amounts == plan.amounts
        assert campaign.evidence()
        for question in (campaign.ask, campaign.status, campaign.frontier, lambda: campaign.forecast(2)):
            with pytest.raises(InputError, match=SENTENCE):
                question()
        assert campaign.last_event == 3
        campaign.verify()
    with Campaign.replay(tmp_path / "night.jsonl", tmp_path / "other.db") as other:
        assert other.last_event == 2


def test_telling_it_loads_nothing_that_decides():
    program = "import sys, allotment.campaign.planning.decision; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_sixty_places_with_a_hundred_steps_are_said_to_plan_within_a_gigabyte(limit):
    limit(1)
    settings = first_settings("night", **settings_for(60, 100))
    refuse_if_too_large(settings)
    assert 0.4e9 < memory_of(settings) < 1e9


PROGRAM = """
import sys, tempfile
from pathlib import Path
from allotment import Campaign
from allotment.campaign.planning.decision import memory_of

places, steps, losses, question = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
names = [f"P{i}" for i in range(places)]
with tempfile.TemporaryDirectory() as folder:
    log = Path(folder, "log.csv")
    rows = [f"2025-01-{k + 1:02},{n},{k * steps // 9},{5 * (10 - k)},500" for n in names for k in range(10)]
    log.write_text("\\n".join(["date,place,amount,incidents,exposure", *rows]))
    given = {"budget": places * steps // 4, "unit": 1, "most": steps, "seed": 1, "losses": losses}
    with Campaign.create(Path(folder, "night.db"), "night", arms=names, **given) as campaign:
        campaign.import_log(log)  # 5000 rounds of each place: nothing takes more with more of them
        getattr(campaign, question)(*([5] if question == "forecast" else []))
        print(memory_of(campaign.settings), peak_bytes())
"""


@pytest.mark.soak
@pytest.mark.parametrize("question", ["ask", "status", "frontier", "forecast"])
@pytest.mark.parametrize(
    ("places", "steps", "losses"),
    [
        (2, 1000, "binary"),
        (60, 100, "binary"),
        (60, 100, "counts"),
        (300, 100, "binary"),
        (30, 400, "binary"),
        (1500, 20, "binary"),
    ],
)
def test_what_is_said_bounds_what_is_taken_and_is_no_more_than_three_times_that(
    places, steps, losses, question
):
    command = [sys.executable, "-c", PEAK_BYTES + PROGRAM, str(places), str(steps), losses, question]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, taken = map(float, done.stdout.split())
    assert taken < said < 3 * taken
    if (places, steps) == (60, 100):
        assert taken < 1e9
