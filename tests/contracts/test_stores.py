"""The contract of stores, over both kinds; and the broken ones that it must reject."""

import pytest

from allotment.campaign.history.store import connecting
from allotment.campaign.history.store.store import Store
from contracts import broken_stores, stores


@pytest.mark.parametrize("check", stores.CHECKS, ids=lambda check: check.__name__)
def test_a_store_keeps_the_contract(check, address):
    Store(address, create=True).close()
    check(lambda: Store(address))


@pytest.mark.parametrize(
    ("specimen", "check", "message"),
    [
        (broken_stores.Forgetful, stores.check_written_is_kept, "the same events after reopening"),
        (broken_stores.Keyless, stores.check_keys, "the same key to give the same event"),
        (broken_stores.Forgiving, stores.check_keys, "another request under the same key to be refused"),
        (broken_stores.Unchained, stores.check_chain, "chained to the one before"),
        (broken_stores.Hasty, stores.check_refusals_leave_nothing, "a refused event to leave nothing"),
        (broken_stores.Nostalgic, stores.check_decided_on_the_newest, "decide on the newest history"),
        (broken_stores.Nostalgic, stores.check_writers_at_once, "one writer at a time"),
        (broken_stores.Jealous, stores.check_readers_do_not_wait, "readers not to wait for a writer"),
        (broken_stores.Muddled, stores.check_campaigns_apart, "campaigns to be apart"),
        (broken_stores.Trusting, stores.check_snapshots, "another history not to be taken"),
        (broken_stores.Regressive, stores.check_snapshots, "the newest snapshot"),
    ],
)
def test_a_broken_store_is_rejected(specimen, check, message, tmp_path, monkeypatch):
    if specimen is broken_stores.Jealous:
        monkeypatch.setattr(connecting, "WAIT_SECONDS", 0.2)  # for a lock that is never let go
    specimen(tmp_path / "store.db", create=True).close()
    with pytest.raises(AssertionError, match=message):
        check(lambda: specimen(tmp_path / "store.db"))


def test_every_check_rejects_something():
    marks = test_a_broken_store_is_rejected.pytestmark
    assert {case[1] for mark in marks for case in mark.args[1]} == set(stores.CHECKS)
