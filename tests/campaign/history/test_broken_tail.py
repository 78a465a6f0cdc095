"""A `-wal` file that is damaged in the middle: whoever opens the store is told that writes are lost."""

import shutil
import warnings

import pytest

from allotment import Campaign, StoreWarning
from allotment.campaign.history.store import broken_tail

SETTINGS = {"arms": ["Dock"], "budget": 2, "unit": 1, "most": 2}
BROKEN = r"copy.db-wal is damaged: \d+ of the last writes to .*copy.db cannot be read. Before you"
EVENTS = 12


@pytest.fixture
def copy(tmp_path):
    """A store whose newest events are in its -wal file, as a killed program leaves it."""
    path, copied = tmp_path / "night.db", tmp_path / "copy.db"
    Campaign.create(path, "night", **SETTINGS).close()
    with Campaign.open(path) as campaign:
        for number in range(EVENTS):
            campaign.change(budget=1 + number % 2)
        for part in ("", "-wal"):
            shutil.copy(f"{path}{part}", f"{copied}{part}")
    return copied


def flip(path, byte):
    content = bytearray(path.read_bytes())
    content[byte] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_one_flipped_bit_is_noticed(copy, share):
    tail = copy.with_name("copy.db-wal")
    flip(tail, int(share * tail.stat().st_size))
    with pytest.warns(StoreWarning, match=BROKEN), Campaign.open(copy) as campaign:
        assert campaign.last_event < EVENTS + 1


def test_a_whole_tail_and_one_that_a_power_cut_tore_are_no_reason_to_warn(copy, tmp_path):
    """What was never acknowledged may be torn: then nothing follows it."""
    torn = tmp_path / "torn.db"
    shutil.copy(copy, torn)
    content = copy.with_name("copy.db-wal").read_bytes()
    torn.with_name("torn.db-wal").write_bytes(content[: len(content) - 1000])
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        with Campaign.open(torn) as campaign:
            assert campaign.last_event == EVENTS
        with Campaign.open(copy) as campaign, Campaign.open(copy) as other:
            assert campaign.last_event == other.last_event == EVENTS + 1


def test_frames_of_an_earlier_use_of_the_file_are_none_of_ours(copy):
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        with Campaign.open(copy) as campaign:
            for budget in (1, 2) * 3:
                campaign.change(budget=budget)
            campaign.store.engine.raw_connection().cursor().execute("PRAGMA wal_checkpoint(RESTART)").close()
            campaign.change(budget=1)  # over the frames from before, which stay behind it
            Campaign.open(copy).close()


def test_a_commit_that_is_not_yet_in_the_index_is_not_lost(copy, monkeypatch):
    """Others may be in the middle of a write: its frames are there before the index has them."""
    real, looks = broken_tail._frames_read, []

    def read_by_another(path):
        looks.append(path)
        return real(path) - (len(looks) == 1)

    monkeypatch.setattr(broken_tail, "_frames_read", read_by_another)
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        Campaign.open(copy).close()
    assert len(looks) == 2
