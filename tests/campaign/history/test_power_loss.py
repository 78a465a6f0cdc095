"""Losses of power and failing disks: what was acknowledged is there afterwards, and the history verifies."""

import errno
import random
import shutil
import sys
import warnings

import pytest

from allotment import Campaign, StoreWarning
from power_loss import ACKNOWLEDGED, ARMS, crash_states, record

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only there can a library be preloaded like this"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="the recording disk is a library in C"),
]


@pytest.fixture
def store(tmp_path):
    """A store in a folder of its own."""
    path = tmp_path / "disk" / "night.db"
    path.parent.mkdir()
    with Campaign.create(path, "night", arms=ARMS, budget=8, unit=1, most=2, seed=1) as campaign:
        campaign.ask(explore=False)
    return path


def check(path, acknowledged):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)  # a torn tail may look like a damaged one
        with Campaign.open(path) as campaign:
            keys = [event.key for event in campaign.history()]
            campaign.verify()
    assert set(acknowledged) <= set(keys), "acknowledged and lost"
    assert len(keys) == len(set(keys))


def survive(tmp_path, store, operations, states, seed):
    before = {each.name: each.read_bytes() for each in store.parent.iterdir()}
    journal = record(tmp_path, store, operations)
    most = 0
    for number, (files, acknowledged) in enumerate(
        crash_states(journal, before, states, random.Random(seed))
    ):
        folder = tmp_path / f"crash {number}"
        folder.mkdir()
        for name, content in files.items():
            if not name.endswith("-shm"):  # an index, which SQLite makes anew
                (folder / name).write_bytes(content)
        check(folder / store.name, acknowledged)
        most = max(most, len(acknowledged))
        shutil.rmtree(folder)
    assert most > operations, "it was not recorded"


def survive_faults(tmp_path, store, operations, kind, every):
    record(tmp_path, store, operations, DISK_FAULT=str(kind), DISK_EVERY=str(every))
    acknowledged = (store.parent / ACKNOWLEDGED).read_text().splitlines()
    check(store, acknowledged)
    return len(acknowledged)


def test_some_losses_of_power(tmp_path, store):
    survive(tmp_path, store, 6, 20, seed=1)


@pytest.mark.parametrize("kind", [errno.EIO, errno.ENOSPC, -1], ids=["EIO", "ENOSPC", "short writes"])
def test_some_failing_writes(tmp_path, store, kind):
    assert survive_faults(tmp_path, store, 8, kind, 101) > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3])
def test_five_hundred_losses_of_power(tmp_path, store, seed):
    survive(tmp_path, store, 40, 300, seed=seed)


@pytest.mark.soak
@pytest.mark.parametrize("every", [3, 7, 13, 29, 61])
@pytest.mark.parametrize("kind", [errno.EIO, errno.ENOSPC, -1], ids=["EIO", "ENOSPC", "short writes"])
def test_many_failing_writes(tmp_path, store, kind, every):
    survive_faults(tmp_path, store, 60, kind, every)
