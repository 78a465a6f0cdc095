import pytest

import campaign_decider
from allotment import CsbSt, EqualSplit, Problem, RandomSplit, simulate


@pytest.fixture(scope="session")
def compiled():
    """What is compiled is kept: processes that are watched then neither wait for that nor speak of it."""
    policies = [CsbSt(), EqualSplit(), RandomSplit()]
    for name in ("paper-1", "paper-2"):
        simulate(Problem.named(name), policies, horizon=1, replications=1, seed=0, progress=False)


@pytest.fixture
def at_work(monkeypatch, tmp_path):
    """A folder with a table of places, and the plain decider."""
    campaign_decider.install(monkeypatch.setattr)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zones.csv").write_text(
        "name,most,least,severity,group\nDock,4,0,1,north\nGate,3,,2,north\nYard,4,0.5,,\n"
    )


@pytest.fixture
def night(allotment, at_work):
    """A store with a campaign of these places."""
    done = allotment("new", "night.db", "--places", "zones.csv", "--budget", 6, "--unit", 0.5, "--seed", 1)
    assert done.code == 0, done.err
    return "night.db"
