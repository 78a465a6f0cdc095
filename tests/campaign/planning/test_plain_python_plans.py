"""Plans that plain Python made are the plans that compiled code makes."""

import json
import os
import subprocess
import sys

import pytest

from allotment import Campaign

KINDS = [
    {"losses": "counts", "unit": 1, "most": 3},
    {"losses": "binary", "unit": 1, "most": 2},
    {"sees": "finds", "unit": 0.5, "most": 1},
    {"losses": "counts", "unit": 1, "most": 3, "groups": {"west": {"arms": ["Dock", "Gate"], "most": 2}}},
    {"losses": "counts", "unit": 1, "most": 3, "crew": {"Dock": 2, "Yard": 2}, "moves": 1},
]
# Reports follow from the plan's number, so that a history is the same whoever makes it.
PROGRAM = """
import json, sys
from allotment import Campaign

path, days, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
arms = ["Dock", "Gate", "Yard", "Pier"]
with Campaign.create(path, "night", arms=arms, budget=2, seed=5, **settings) as campaign:
    for day in range(1, days + 1):
        plan = campaign.ask(date=f"2026-{1 + day // 28:02}-{1 + day % 28:02}")
        losses = {name: int((7 * day + 3 * k) % 5 == 0) for k, name in enumerate(arms)}
        if settings.get("sees") == "finds":
            losses = {name: lost if plan.amounts[name] else 0 for name, lost in losses.items()}
        campaign.tell(plan.id, losses)
"""


def verified(path, days, settings):
    """Make plans as plain Python in a fresh process, and compute them anew here, compiled."""
    command = [sys.executable, "-c", PROGRAM, str(path), str(days), json.dumps(settings)]
    subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
    with Campaign.open(path) as campaign:
        assert campaign.last_event == 1 + 2 * days
        campaign.verify(plans=True)


@pytest.fixture(autouse=True)
def plain_decider():
    """Not here."""


@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_compiled_code_verifies_a_few_plans_of_every_kind(settings, tmp_path):
    verified(tmp_path / "night.db", 5, settings)


@pytest.mark.soak
@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_compiled_code_verifies_a_hundred_plans_of_every_kind(settings, tmp_path):
    verified(tmp_path / "night.db", 100, settings)
