"""The commands about logs, places and the history: what planners type, and what they see."""

import pytest

import campaign_decider

ZONES = "name,most,least,severity,group\nDock,4,0,1,north\nGate,3,,2,north\nYard,4,0.5,,\n"


@pytest.fixture(autouse=True)
def at_work(monkeypatch, tmp_path):
    campaign_decider.install(monkeypatch.setattr)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zones.csv").write_text(ZONES)


@pytest.fixture
def night(allotment):
    done = allotment("new", "night.db", "--arms", "zones.csv", "--budget", 6, "--unit", 0.5, "--seed", 1)
    assert done.code == 0, done.err
    return "night.db"


def test_a_dry_run_fails_where_the_import_would(allotment, night, tmp_path):
    (tmp_path / "log.csv").write_text(
        "date,place,amount,incidents\n2025-01-01,Dock,0,0\n2025-01-02,Shed,0,0\n"
    )
    trial = allotment("import", night, "log.csv", "--dry-run")
    assert (trial.code, trial.err) == (2, allotment("import", night, "log.csv").err)
    (tmp_path / "log.csv").write_text("date,place,amount,incidents\n2025-01-01,Dock,0,0\n")
    assert allotment("import", night, "log.csv", "--dry-run").code == 0


def test_a_new_place_needs_a_most(allotment, night):
    done = allotment("arms", night, "--add", "Shed")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == "allotment: there is no most of 'Shed'; expected --most, the largest amount it can use\n"
    )


@pytest.mark.filterwarnings("always::allotment.AmountWarning")
def test_an_amount_above_the_most_is_kept_with_a_warning(allotment, night):
    allotment("ask", night)
    told = allotment("tell", night, "Dock=1", "--amount", "Dock=40")
    assert told.code == 0
    assert told.err.startswith("allotment: Dock was granted 40, but its most is 4: the report is kept; ")
