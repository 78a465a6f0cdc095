"""Builds what cases damage: stores, an export and a result, the same bytes every time. Runs in a child."""

import itertools
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

IMPORTED = """date,place,amount,incidents,exposure
2026-01-01,Dock,0,1,1
2026-01-02,Dock,1,0,1
2026-01-03,Gate,0,0,2
2026-01-04,Gate,2,1,1
2026-01-05,Yard,1,0,3
"""
POLICIES = ("equal-split", "csb-st")
HORIZON, REPLICATIONS = 12, 2


def steady():
    """The same moments and keys every time, and a quick decider."""
    import campaign_decider
    from allotment.campaign.forms import names
    from allotment.campaign.history import events, store

    campaign_decider.install()
    seconds, numbers = itertools.count(), itertools.count()
    start = datetime(2026, 2, 1, 6, tzinfo=UTC)
    names.now = lambda: start + timedelta(seconds=next(seconds))
    events.new_key = lambda: f"{next(numbers):032x}"
    return store


def history(path):
    """A campaign with every kind of event, and a plan that awaits its report."""
    from allotment import Campaign

    log = Path("built.csv")
    log.write_text(IMPORTED)
    settings = {
        "arms": ["Dock", "Gate", "Yard"],
        "budget": 3,
        "unit": 1,
        "most": 2,
        "severities": {"Dock": 2},
        "groups": {"north": {"arms": ["Dock", "Gate"], "least": 1, "most": 3}},
        "seed": 7,
        "timezone": "Europe/Vienna",
        "author": "Ada",
    }
    with Campaign.create(path, "night", **settings) as campaign:
        campaign.ask(date="2026-02-02")
        campaign.tell("1", {"Dock": 1, "Gate": 0, "Yard": 0}, amounts={"Dock": 1.5})
        campaign.tell("1", {"Gate": 1}, correct=True)
        campaign.import_log(log)
        campaign.ask(date="2026-02-03", require=["Yard"])
        campaign.tell("2", {"Dock": 0})
        campaign.undo("2")
        campaign.cancel("2")
        campaign.change(budget=4)
        campaign.add_arm("Quay", most=1)
        campaign.rename_arm("Yard", "Court")
        campaign.retire_arm("Quay")
        campaign.restore_arm("Quay")
        campaign.retire_arm("Quay")
        campaign.ask(date="2026-02-04")
    log.unlink()


def stores():
    """`small.db`, without a snapshot; `kept.db`, with one; `second.db`, of two campaigns; an export."""
    from allotment import Campaign
    from allotment.campaign.history import snapshots

    steady()
    history("small.db")
    with Campaign.open("small.db") as campaign:
        campaign.export("night.jsonl")
        campaign.backup("kept.db")
        campaign.backup("second.db")
    with Campaign.open("kept.db") as campaign:
        campaign.store.keep_snapshot(campaign._number, snapshots.packed(campaign._current()))
    settings = {"arms": ["Mill"], "budget": 1, "unit": 1, "most": 1, "seed": 1, "author": "Ada"}
    with Campaign.create("second.db", "day", **settings, timezone="UTC") as campaign:
        campaign.ask(date="2026-02-02")


def results():
    """`run.npz`: two policies, two replications."""
    from allotment import Problem, simulate

    policies = list(POLICIES)
    problem = Problem(loss_rates=[0.2, 0.5, 0.7], thresholds=0.5, budget=1.0)
    problem.save("three.toml")
    from allotment.policies.base.policy_texts import parse_all

    chosen = parse_all(policies, problem)
    simulate(
        problem, chosen, horizon=HORIZON, replications=REPLICATIONS, seed=1, out="run.npz", progress=False
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    {"stores": stores, "results": results}[sys.argv[1]]()
