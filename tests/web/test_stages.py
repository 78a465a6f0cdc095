"""What was sent and is not yet kept: one of a kind for each session, for an hour."""

import io
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from allotment.errors import NotFoundError
from allotment.web.stages import LIFE_SECONDS, MOST, SentFile, Stage, Stages


@dataclass
class Sent(Stage):
    """A stage that has a file."""

    file: SentFile

    def close(self):
        self.file.close()


def visit(owner="one", number=1):
    return SimpleNamespace(session=SimpleNamespace(digest=owner), number=number)


def sent(stages, owner="one", number=1):
    return stages.start(Sent(owner, number, SentFile(io.BytesIO(b"a log"))))


@pytest.fixture
def stages(clock):
    made = Stages(clock)
    yield made
    made.close()


def test_it_is_found_for_an_hour_and_then_gone(stages, clock):
    stage = sent(stages)
    clock.now += LIFE_SECONDS
    assert stages.find(visit(), stage.id, Sent) is stage and stages.waiting(visit(), Sent) is stage
    clock.now += 1
    with pytest.raises(NotFoundError, match="older than an hour"):
        stages.find(visit(), stage.id, Sent)
    assert stage.file.content.closed and stages.waiting(visit(), Sent) is None


def test_only_its_own_session_campaign_and_page_find_it(stages):
    @dataclass
    class Other(Stage):
        pass

    stage = sent(stages)
    for who, kind in ((visit("two"), Sent), (visit(number=2), Sent), (visit(), Other)):
        with pytest.raises(NotFoundError):
            stages.find(who, stage.id, kind)
        assert stages.waiting(who, kind) is None


def test_the_next_one_takes_its_place_and_others_stay(stages):
    first, other = sent(stages), sent(stages, "two")
    second = sent(stages)
    assert first.file.content.closed and not other.file.content.closed
    assert stages.waiting(visit(), Sent) is second and stages.waiting(visit("two"), Sent) is other


def test_there_are_not_too_many_and_the_oldest_goes_first(stages):
    made = [sent(stages, f"session {number}") for number in range(MOST + 3)]
    assert [each.file.content.closed for each in made] == [True] * 3 + [False] * MOST


def test_dropping_and_closing_let_go_of_files(stages):
    one, other = sent(stages), sent(stages, "two")
    for _ in range(2):
        stages.drop(one)
    stages.close()
    assert one.file.content.closed and other.file.content.closed


def test_a_file_that_was_sent_has_no_name_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = SentFile(io.BytesIO(b"a log"))
    assert list(tmp_path.iterdir()) == [] and file.from_start().read() == b"a log"
    file.close()
