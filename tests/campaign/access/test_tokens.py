"""Tokens: found by their text alone, for as long as they are valid; their names are never used again."""

from datetime import timedelta

import pytest

from allotment import Campaign, ConflictError, InputError, NotAllowedError, NotFoundError
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.tokens import SEEN_SECONDS, Tokens
from allotment.campaign.forms import names
from allotment.campaign.history.store.store import Store
from allotment.campaign.history.store.tables import tokens as table

OWNER = Rights("root", PLANNER)


class Clock:
    def __init__(self):
        self.now = names.now()

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tokens(address, clock):
    """The tokens of a store of each kind with two campaigns."""
    for name in ("night", "day"):
        Campaign.create(address, name, arms=["Dock", "Gate"], budget=2, unit=1, most=2, seed=1).close()
    with Store(address) as store:
        yield Tokens(store, clock)


def test_a_token_is_found_by_its_text_alone(tokens):
    made, text = tokens.add(Rights("Eve", RECORDER, 1), by=OWNER)
    other, _ = tokens.add(Rights("Bo", VIEWER), by=OWNER)
    assert tokens.find(text) == made
    head, _, secret = text.rpartition(made.id + "_")
    for wrong in ("", text[:-1], text + "x", text.upper(), f"{head}{other.id}_{secret}", "al_" + "0" * 12):
        assert tokens.find(wrong) is None


def test_the_store_keeps_no_secret(tokens):
    _, text = tokens.add(Rights("Eve", VIEWER), by=OWNER)
    with tokens.store.transaction() as connection:
        kept = repr(connection.execute(table.select()).all())
    assert text.split("_", 2)[2] not in kept


def test_a_token_ends_with_its_last_day_and_when_it_is_revoked(tokens, clock):
    today = clock.now.date()
    _, brief = tokens.add(Rights("Eve", VIEWER), until=today.isoformat(), by=OWNER)
    _, long = tokens.add(Rights("Bo", VIEWER), by=OWNER)
    assert tokens.find(brief) is not None
    clock.now += timedelta(days=1)
    assert tokens.find(brief) is None and tokens.find(long) is not None
    tokens.revoke("Bo", by=OWNER)
    tokens.revoke("Bo", by=OWNER)
    assert tokens.find(long) is None and tokens.holder(tokens.named("Bo", by=OWNER).id) is None
    assert {each.name: each.state(clock()) for each in tokens.all()} == {"Eve": "expired", "Bo": "revoked"}
    assert not tokens.exist()
    with pytest.raises(InputError, match="a date that is not over"):
        tokens.add(Rights("Zoe", VIEWER), until=today, by=OWNER)


def test_a_name_is_never_used_again(tokens):
    tokens.add(Rights("Eve", VIEWER), by=OWNER)
    tokens.revoke("Eve", by=OWNER)
    for taken in ("Eve", "EVE", "eve"):
        with pytest.raises(ConflictError, match="exists or existed"):
            tokens.add(Rights(taken, VIEWER), by=OWNER)
    with pytest.raises(InputError):
        tokens.add(Rights("=Eve", VIEWER), by=OWNER)
    with pytest.raises(NotFoundError, match="Did you mean Eve"):
        tokens.revoke("Evi", by=OWNER)


def test_last_seen_is_written_once_an_hour(tokens, clock):
    _, text = tokens.add(Rights("Eve", VIEWER), by=OWNER)
    begun = clock.now
    tokens.find(text)
    clock.now += timedelta(seconds=SEEN_SECONDS)
    tokens.find(text)
    assert abs(tokens.named("Eve", by=OWNER).seen - begun) < timedelta(milliseconds=1)
    clock.now += timedelta(seconds=1)
    tokens.find(text)
    assert tokens.named("Eve", by=OWNER).seen > begun + timedelta(minutes=59)


def test_nobody_hands_out_more_than_they_have(tokens):
    of_night = Rights("Ada", PLANNER, 1)
    tokens.add(Rights("Eve", RECORDER, 1), by=of_night)
    owner, _ = tokens.add(Rights("Kim", PLANNER), by=OWNER)
    for wanted in (Rights("x", VIEWER), Rights("x", VIEWER, 2), Rights("x", PLANNER)):
        with pytest.raises(NotAllowedError):
            tokens.add(wanted, by=of_night)
    for someone in (Rights("Bo", VIEWER, 1), Rights("Bo", RECORDER, 1)):
        with pytest.raises(NotAllowedError):
            tokens.add(Rights("x", VIEWER, 1), by=someone)
        with pytest.raises(NotAllowedError):
            tokens.revoke("Eve", by=someone)
    with pytest.raises(NotFoundError, match="there is no token named 'Kim'"):
        tokens.revoke(owner.name, by=of_night)


def test_nobody_hands_out_rights_for_longer_than_they_have_them(tokens, clock):
    last = (clock.now + timedelta(days=7)).date()
    made, _ = tokens.add(Rights("Eve", VIEWER), by=OWNER, by_until=last)
    assert made.until == last
    with pytest.raises(InputError, match="the last day of your own token"):
        tokens.add(Rights("Bo", VIEWER), until=last + timedelta(days=1), by=OWNER, by_until=last)


def test_a_group_belongs_to_a_recorder_of_one_campaign():
    Rights("Eve", RECORDER, 1, "town")
    for wrong in ((VIEWER, 1, "town"), (PLANNER, 1, "town"), (RECORDER, None, "town")):
        with pytest.raises(InputError):
            Rights("Eve", *wrong)
    with pytest.raises(InputError, match="one of viewer, recorder, planner"):
        Rights("Eve", "admin")


def test_a_backup_holds_no_token(tokens, tmp_path):
    tokens.add(Rights("Eve", VIEWER), by=OWNER)
    with Campaign.open(
        tokens.store.url.render_as_string(hide_password=False)
        .replace("sqlite:///", "")
        .replace("+psycopg", ""),
        "night",
    ) as campaign:
        campaign.backup(tmp_path / "copy.db")
    with Store(tmp_path / "copy.db") as copy:
        assert Tokens(copy).all() == [] and copy.campaigns() == ("night", "day")


def test_the_commands(allotment, tmp_path):
    store = tmp_path / "night.db"
    groups = {"town": {"arms": ["Gate"]}}
    Campaign.create(store, "night", arms=["Dock", "Gate"], budget=2, unit=1, most=2, groups=groups).close()
    assert "No token yet" in allotment("token", "list", store).out
    added = allotment("token", "add", store, "Eve", "--role", "recorder", "-c", "night", "--group", "town")
    assert added.code == 0 and added.out.splitlines()[-1].startswith("al_")
    listed = allotment("token", "list", store).out
    assert "recorder" in listed and "town" in listed and added.out.splitlines()[-1] not in listed
    assert allotment("token", "revoke", store, "Eve").code == 0
    assert '"revoked"' in allotment("token", "list", store, "--json").out
    for wrong in (
        ("add", store, "Eve", "--role", "viewer"),
        ("add", store, "Bo", "--role", "admin"),
        ("add", store, "Bo", "--role", "viewer", "-c", "noon"),
        ("add", store, "Bo", "--role", "recorder", "-c", "night", "--group", "twon"),
        ("revoke", store, "Bo"),
        (),
    ):
        answer = allotment("token", *wrong)
        assert answer.code == 2 and answer.out == "" and answer.err.count("\n") <= 2
