"""What was sent and is not yet kept: one log for each session and campaign, for an hour."""

from types import SimpleNamespace

import pytest

from allotment.errors import NotFoundError
from allotment.web.files.stages import LIFE_SECONDS, MOST, Stage, Stages
from allotment.web.work.work_tables import ProcessTables


def visit(owner="one", number=1):
    return SimpleNamespace(session=SimpleNamespace(digest=owner), number=number)


def sent(stages, owner="one", number=1, content=b"a log"):
    return stages.start(visit(owner, number), content, "as sent")


@pytest.fixture
def tables():
    made = ProcessTables()
    yield made
    made.close()


@pytest.fixture
def stages(tables, clock):
    return Stages(tables, clock)


def test_it_is_found_for_an_hour_and_then_gone(stages, clock):
    log = sent(stages)
    clock.now += LIFE_SECONDS
    assert stages.find(visit(), log) == stages.waiting(visit()) == Stage(log, "as sent")
    assert stages.content(visit(), log) == b"a log"
    clock.now += 1
    for find in (stages.find, stages.content):
        with pytest.raises(NotFoundError, match="older than an hour"):
            find(visit(), log)
    assert stages.waiting(visit()) is None


def test_only_its_own_session_and_campaign_find_it(stages):
    log = sent(stages)
    for who in (visit("two"), visit(number=2)):
        for find in (stages.find, stages.content):
            with pytest.raises(NotFoundError):
                find(who, log)
        assert stages.waiting(who) is None


def test_what_is_known_of_it_changes(stages):
    log = sent(stages)
    stages.keep(Stage(log, "checked"))
    assert stages.find(visit(), log).state == "checked" and stages.content(visit(), log) == b"a log"


def test_the_next_one_takes_its_place_and_others_stay(stages):
    first, other, elsewhere = sent(stages), sent(stages, "two"), sent(stages, number=2)
    second = sent(stages)
    with pytest.raises(NotFoundError):
        stages.find(visit(), first)
    assert stages.waiting(visit()).id == second and stages.waiting(visit("two")).id == other
    assert stages.waiting(visit(number=2)).id == elsewhere


def test_there_are_not_too_many_and_the_oldest_goes_first(stages, clock):
    for number in range(MOST + 3):
        sent(stages, f"session {number}")
        clock.now += 1
    waiting = [stages.waiting(visit(f"session {number}")) is not None for number in range(MOST + 3)]
    assert waiting == [False] * 3 + [True] * MOST


def test_it_can_be_dropped_twice(stages):
    log = sent(stages)
    for _ in range(2):
        stages.drop(log)
    assert stages.waiting(visit()) is None


def test_on_one_machine_a_file_that_was_sent_has_no_name_on_disk(tmp_path, monkeypatch, clock):
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    tables = ProcessTables()
    stages = Stages(tables, clock)
    content = bytes(5_000_000)  # more than SQLite keeps in memory
    log = sent(stages, content=content)
    assert list(tmp_path.iterdir()) == [] and stages.content(visit(), log) == content
    tables.close()
