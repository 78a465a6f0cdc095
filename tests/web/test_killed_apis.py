"""What the API answered with success is safe, however the server ends."""

import pytest

from web_api_under_fire import killed_under_load


def test_nothing_that_was_answered_is_lost(tmp_path):
    killed_under_load(tmp_path / "night.db", kills=5, plans=40, seed=1)


@pytest.mark.soak
def test_nothing_that_was_answered_is_lost_in_fifty_kills(tmp_path):
    killed_under_load(tmp_path / "night.db", kills=50, plans=400, seed=2)
