"""A server that is killed while browsers report loses nothing that it has answered with success."""

import pytest

from web_under_fire import killed_while_reporting

pytest.importorskip("allotment.web.pages.report.entries")  # the page on which browsers report


def test_a_server_is_killed_three_times_while_five_browsers_report(store):
    killed_while_reporting(store, kills=3, plans=15, seed=1)


@pytest.mark.soak
def test_a_server_is_killed_twenty_times_while_five_browsers_report(store):
    killed_while_reporting(store, kills=20, plans=120, seed=2)
