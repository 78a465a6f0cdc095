"""Events that are in the `-wal` file only: if it is missing, the next to open the store is told."""

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from allotment import Campaign, StoreWarning

SETTINGS = {"arms": ["Dock"], "budget": 2, "unit": 1, "most": 2}
MISSING = r"was not closed in order, and .*-wal is missing: the newest events may be lost"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "night.db"
    Campaign.create(path, "night", **SETTINGS).close()
    return path


def copy_of(path, *parts):
    """A copy of a store in use, or of some of its files."""
    copy = path.with_name("copy.db")
    for part in parts:
        shutil.copy(f"{path}{part}", f"{copy}{part}")
    return copy


def test_a_wal_file_that_is_left_behind_is_noticed(path):
    with Campaign.open(path) as campaign:
        campaign.change(budget=1)
        campaign.change(budget=2)
        alone = copy_of(path, "")
        with pytest.warns(StoreWarning, match=MISSING), Campaign.open(alone) as copy:
            assert copy.last_event == 2  # of 3
    Campaign.open(alone).close()  # said once


def test_a_whole_store_that_was_not_closed_in_order_is_no_reason_to_warn(path):
    with Campaign.open(path) as campaign:
        campaign.change(budget=1)
        campaign.change(budget=2)
        whole = copy_of(path, "", "-wal")
    for _ in range(2):  # SQLite deletes the -wal file when the first one closes
        with Campaign.open(whole) as copy:
            assert copy.last_event == 3


def test_several_who_write_and_close_leave_the_mark_to_the_last(path):
    with Campaign.open(path) as first, Campaign.open(path) as second:
        first.change(budget=1)
        second.change(budget=2)
        first.close()
        second.change(budget=1)
        second.change(budget=2)
        with pytest.warns(StoreWarning, match=MISSING):
            Campaign.open(copy_of(path, "")).close()
    Campaign.open(path).close()


def test_a_script_that_ends_without_closing_closes_in_order(path):
    script = f"import allotment; it = allotment.Campaign.open({str(path)!r}); it.change(budget=1)"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert not Path(f"{path}-wal").exists()
    with warnings.catch_warnings(action="error"), Campaign.open(path) as campaign:
        assert campaign.last_event == 2
