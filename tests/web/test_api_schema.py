"""The API keeps to its description, whoever calls and whatever they send."""

import pytest

from web_schema import ROLES, check_api


@pytest.mark.parametrize("role", ROLES)
def test_the_api_keeps_to_its_description(role, tmp_path):
    found = check_api(tmp_path / "night.db", role, examples=1, seed=1)
    assert found.cases >= 60 and (found.steps or role == "nobody")
    assert not any(status >= 500 and status != 503 for status in found.statuses)
    if role == "nobody":
        assert set(found.statuses) == {401}


@pytest.mark.soak
@pytest.mark.parametrize("role", ROLES)
def test_the_api_keeps_to_its_description_over_thousands_of_requests(role, tmp_path):
    found = check_api(tmp_path / "night.db", role, examples=30, seed=2, walks=30)
    assert found.cases >= 1000 and (found.steps >= 100 or role == "nobody")
    assert not any(status >= 500 and status != 503 for status in found.statuses)
