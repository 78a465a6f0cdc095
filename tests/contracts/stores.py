"""What every store keeps: each check is handed a way to open the store, as often as it likes."""

import threading

from allotment.campaign.history.events import ORIGIN, Draft, Request
from allotment.campaign.history.store.snapshot_rows import Snapshot
from allotment.errors import ConflictError, InputError, NotFoundError, StoreError


def request(key, **given):
    return Request.of("Ada", key, "note", given)


def note(**payload):
    return lambda read: Draft("noted", payload)


def begun(store, name="night"):
    return store.create(
        name, Request.of("Ada", f"make {name}", "create", {}), Draft("created", {"name": name})
    )


def refuses(error, action, why):
    try:
        action()
    except error:
        return
    raise AssertionError(why)


def check_written_is_kept(open_store):
    with open_store() as store:
        campaign = begun(store)
        events = [
            store.append(campaign, request(f"{i}"), note(i=i, text="Zürich «quoted» \\ \n")) for i in range(5)
        ]
    with open_store() as store:
        kept = list(store.events(store.find("night")))
        assert kept[1:] == events, "expected the same events after reopening"
        assert [event.number for event in kept] == [1, 2, 3, 4, 5, 6], "expected numbers without gaps"


def check_chain(open_store):
    with open_store() as store:
        campaign = begun(store)
        for i in range(3):
            store.append(campaign, request(f"{i}"), note(i=i))
        previous = ORIGIN
        for event in store.events(campaign):
            assert event.sealed(previous) == event.hash, "expected each event to be chained to the one before"
            previous = event.hash
        assert store.last(campaign) == (4, previous), "expected the last event"


def check_keys(open_store):
    with open_store() as store:
        campaign = begun(store)
        first = store.append(campaign, request("k", a=1), note(a=1))
        again = store.append(campaign, request("k", a=1), note(a=99))
        assert again == first, "expected the same key to give the same event"
        assert store.answered(campaign, request("k", a=1)) == first, (
            "expected the answer to be found by its key"
        )
        assert store.answered(campaign, request("new")) is None, "expected no answer to a new key"
        refuses(
            ConflictError,
            lambda: store.append(campaign, request("k", a=2), note(a=2)),
            "expected another request under the same key to be refused",
        )
        assert store.last(campaign)[0] == 2, "expected nothing to be written twice"


def check_refusals_leave_nothing(open_store):
    def refuse(read):
        list(read(0))
        raise InputError("no")

    with open_store() as store:
        campaign = begun(store)
        before = list(store.events(campaign))
        refuses(InputError, lambda: store.append(campaign, request("k"), refuse), "expected the refusal")
        assert list(store.events(campaign)) == before, "expected a refused event to leave nothing"
        store.append(campaign, request("k"), note())
        assert store.last(campaign)[0] == 2, "expected to go on after a refusal"


def check_decided_on_the_newest(open_store):
    with open_store() as one, open_store() as other:
        campaign = begun(one)
        one.append(campaign, request("1"), note())
        seen = []

        def decide(read):
            seen.extend(event.number for event in read(0))
            return Draft("noted", {})

        other.append(other.find("night"), request("2"), decide)
        assert seen == [1, 2], "expected to decide on the newest history"


def check_readers_do_not_wait(open_store):
    with open_store() as store, open_store() as other:
        campaign = begun(store)
        seen = []

        def decide(read):  # while it is at work, nobody else can write
            try:
                seen.extend(event.number for event in other.events(campaign))
            except StoreError:
                seen.append("waited in vain")
            return Draft("noted", {})

        store.append(campaign, request("k"), decide)
        assert seen == [1], "expected readers not to wait for a writer, and to see what was written before"


def check_campaigns_apart(open_store):
    with open_store() as store:
        night, day = begun(store, "night"), begun(store, "day")
        store.append(night, request("k"), note(n=1))
        store.append(day, request("k"), note(n=2))
        assert store.campaigns() == ("night", "day"), "expected both names"
        assert [event.payload for event in store.events(day)][1:] == [{"n": 2}], (
            "expected campaigns to be apart"
        )
        assert store.last(night)[0] == store.last(day)[0] == 2, "expected numbers of each campaign's own"
        refuses(NotFoundError, store.find, "expected to be asked which one")
        refuses(NotFoundError, lambda: store.find("noon"), "expected an unknown name to be refused")
        assert begun(store, "day") == day, "expected the same request to give the same campaign"
        refuses(
            ConflictError,
            lambda: store.create("day", Request.of("Bo", None, "create", {}), Draft("created", {})),
            "expected a taken name to be refused",
        )


def check_snapshots(open_store):
    with open_store() as store:
        campaign = begun(store)
        assert store.snapshot(campaign) is None, "expected no snapshot"
        event = store.append(campaign, request("k"), note())
        store.keep_snapshot(campaign, Snapshot(2, event.hash, b"\x00two"))
        store.keep_snapshot(campaign, Snapshot(1, "older", b"one"))
        assert store.snapshot(campaign) == Snapshot(2, event.hash, b"\x00two"), "expected the newest snapshot"
        assert store.follows(campaign, store.snapshot(campaign)), "expected it to belong to the history"
        store.drop_snapshot(campaign)
        store.keep_snapshot(campaign, Snapshot(2, "of another history", b""))
        other = store.snapshot(campaign)
        assert not store.follows(campaign, other), "expected a snapshot of another history not to be taken"


def check_writers_at_once(open_store):
    with open_store() as store:
        campaign = begun(store)
    failures = []

    def write(who):
        try:
            with open_store() as mine:
                for i in range(20):
                    mine.append(
                        campaign,
                        request(f"{who} {i}"),
                        lambda read: Draft("noted", {"n": len(list(read(0)))}),
                    )
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, f"expected no failure, but {failures[0]!r}"
    with open_store() as store:
        kept = list(store.events(campaign))
    assert [event.number for event in kept] == list(range(1, 82)), "expected every event of every writer"
    assert [event.payload["n"] for event in kept[1:]] == list(range(1, 81)), "expected one writer at a time"


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
