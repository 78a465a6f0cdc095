"""Dates as people write them: read in one way only, or refused."""

from datetime import UTC, date, datetime

import pytest

from allotment import InputError
from allotment.campaign.forms.dates import date_in, day_of, moment_in

NEW_YEARS_EVE = date(2025, 12, 31)


@pytest.mark.parametrize(
    "text", ["2025-12-31", "20251231", " 31.12.2025", "31.12.25", "31/12/2025", "12/31/2025", "2025/12/31"]
)
def test_dates_that_can_be_one_day_only(text):
    assert date_in(text) == NEW_YEARS_EVE


@pytest.mark.parametrize(("text", "order"), [("31.12.25", "dmy"), ("12.31.25", "mdy"), ("25/12/31", "ymd")])
def test_the_order_decides(text, order):
    assert date_in(text, order) == NEW_YEARS_EVE


def test_it_is_never_guessed():
    for text in ("03/04/2025", "3-4-25", "25/04/03"):
        with pytest.raises(InputError, match=r"could be 20.* expected --dates with one of dmy, mdy, ymd, or"):
            date_in(text, option="--dates")
    assert date_in("03/03/2025") == date(2025, 3, 3)


@pytest.mark.parametrize(
    "text", ["", "soon", "31.12.025", "2025-13-01", "1.1.10000", "32/12/2025", "٣.1.2025"]
)
def test_what_is_no_date(text):
    for order in (None, "dmy"):
        with pytest.raises(InputError, match=r"^night is .* expected a date such as 2026-03-31"):
            date_in(text, order, what="night")


def test_times_belong_to_the_day_that_has_started():
    early = datetime(2026, 1, 1, 2, 30)
    assert [moment_in(text) for text in ("2026-01-01 02:30", "1.1.26 2:30", "2026-01-01T02:30:00")] == [
        early
    ] * 3
    assert day_of(early, "Europe/Vienna") == date(2026, 1, 1)
    assert day_of(early, "Europe/Vienna", "06:00") == NEW_YEARS_EVE
    at_greenwich = moment_in("2025-12-31T23:30Z")
    assert at_greenwich == datetime(2025, 12, 31, 23, 30, tzinfo=UTC)
    assert day_of(at_greenwich, "Europe/Vienna") == date(2026, 1, 1)
    with pytest.raises(InputError, match="or a time such as 2026-03-31 02:30"):
        moment_in("2026-01-01 24:30")
