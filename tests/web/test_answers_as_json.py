"""What programs of users read, by `to_dict`, `--json` and over HTTP, keeps its names and its numbers."""

import json
from pathlib import Path

import pytest

from campaign_answers import CAMPAIGNS, answers_of

BEFORE = Path(__file__).parent / "answers_before"
UNLIKE_EVERY_TIME = {"key"}  # idempotency keys are drawn


@pytest.fixture(scope="module", params=CAMPAIGNS)
def answers(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    with pytest.MonkeyPatch.context() as patch:
        now = answers_of(folder / "night.db", folder, CAMPAIGNS[request.param], patch)
    return json.loads((BEFORE / f"{request.param}.json").read_text(encoding="utf-8")), now


def lost(before, now, path=""):
    """Where something that was there is gone, or is another value. What was added does no harm."""
    if isinstance(before, dict):
        if not isinstance(now, dict):
            return [f"{path}: {now!r} is no object"]
        return [
            each
            for name in before
            if name not in UNLIKE_EVERY_TIME
            for each in (
                lost(before[name], now[name], f"{path}/{name}") if name in now else [f"{path}/{name} is gone"]
            )
        ]
    if isinstance(before, list):
        if not isinstance(now, list) or len(before) != len(now):
            return [f"{path}: {now!r} is not as long"]
        pairs = enumerate(zip(before, now, strict=True))
        return [each for i, (then, here) in pairs for each in lost(then, here, f"{path}/{i}")]
    same = before == now if not isinstance(before, float) else now == pytest.approx(before, rel=1e-9)
    return [] if same and type(before) is type(now) else [f"{path}: {before!r} became {now!r}"]


def test_users_json_keeps_its_names_and_numbers(answers):
    before, now = answers
    for way in before:
        assert set(before[way]) == set(now[way])
        assert lost(before[way], now[way], way) == []
