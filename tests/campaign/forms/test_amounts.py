"""Numbers that a float cannot hold, that take a gigabyte to write, or that cannot be counted in units."""

import decimal
from decimal import Decimal
from fractions import Fraction

import pytest

from allotment import Campaign, InputError
from allotment.campaign.forms.amounts import exact, exact_unit, written

FINE = {"arms": ["A", "B"], "budget": 4, "unit": 0.5, "most": 3, "timezone": "UTC"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1e-400", "0, or a number of at least 1E-100"),
        ("1E-999999", "0, or a number of at least 1E-100"),
        ("1E+999999", "below 1e.15"),
        ("999999999999999." + "9" * 50, "below 1e.15"),  # with 28 digits, it is 1e15
        pytest.param(10**5000, "a value too large to show; expected", id="digits"),
        (Fraction(10**400), "a finite number of at least 0"),
        (Decimal("sNaN"), "a finite number of at least 0"),
        ("1_0", "a finite number of at least 0"),
        (True, "a finite number of at least 0"),
    ],
)
def test_what_is_no_amount(value, expected):
    with pytest.raises(InputError, match=expected):
        exact("it", value)


def test_an_accepted_amount_is_short_and_accepted_again():
    for value in (
        "1e-100",
        "999999999999999.9",
        "0." + "3" * 10_000,
        "0E-999999",
        "1." + "0" * 10_000,
        2**49,
        5e-17,
    ):
        found = exact("it", value)
        assert exact("it", written(found)) == found
        assert len(written(found)) < 140
    with decimal.localcontext(prec=3):
        assert exact("it", "1.23456") == Decimal("1.23456")
    with pytest.raises(InputError, match="expected a number of at least 1E-9"):
        exact_unit("1e-400")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"half_life": "1e-400"}, "half_life is '1e-400'; expected a number of at least 1E-100"),
        (
            {"severities": {"A": "1e-400"}},
            "severities of 'A' is '1e-400'; expected a number of at least 1E-100",
        ),
        ({"thresholds": "1e-400"}, "thresholds is '1e-400'"),
        ({"budget": "1E-999999"}, "budget is '1E-999999'"),
        ({"least": "1e-400"}, "least is '1e-400'"),
        ({"scale": "1e-400"}, "scale is '1e-400'"),
        (
            {"budget": "1e14", "unit": "1e-9", "most": "1e-8"},
            "the budget, 100000000000000, is 1.* units of 0.000000001; expected fewer than 9007199254740992",
        ),
        (
            {"budget": 1, "unit": "1e-9", "most": "1e-8", "groups": {"g": {"arms": ["A"], "most": "1e14"}}},
            "the most of group 'g', 100000000000000, is",
        ),
        (
            {"policy": "any-response:draws=1000000000"},
            "draws of the policy is 1000000000; expected at most 1000",
        ),
        ({"shapes": {"A": [10**400, 0]}}, "the shape of 'A'"),
        ({"shapes": {"A": {"type": [], "coordinates": [0, 0]}}}, "the shape of 'A'"),
        ({"seed": 10**5000}, "seed is a value too large to show"),
    ],
)
def test_settings_that_would_make_later_commands_fail(tmp_path, wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        Campaign.create(tmp_path / "a.db", "a", **{**FINE, **wrong})
    assert not (tmp_path / "a.db").exists()


def test_changes_reports_and_orders_are_held_to_the_same_bounds(campaign):
    campaign.ask()
    for wrong in (
        lambda: campaign.change(half_life="1e-400"),
        lambda: campaign.change(severities={"Dock": "1e-400"}),
        lambda: campaign.add_arm("Shed", most=1, severity="1e-400"),
        lambda: campaign.ask(budget="1e-400"),
        lambda: campaign.tell("1", {"Dock": 1}, amounts={"Dock": "1E-999999"}),
    ):
        with pytest.raises(InputError, match=r"a number of at least 1E-100"):
            wrong()
    assert len(list(campaign.history())) == 2


def everything_works(campaign):
    for _ in range(2):
        plan = campaign.ask(date="2026-01-05")
        campaign.tell(plan.id, dict.fromkeys(plan.amounts, 1))
    for answer in (campaign.status(), campaign.frontier(), campaign.forecast(2), campaign.explain("1")):
        assert str(answer)
    campaign.verify(plans=True)


@pytest.mark.parametrize(
    "extreme",
    [
        {"half_life": "1e-100"},
        {"half_life": "999999999999999"},
        {"severities": {"A": "1e-9", "B": "999999999999999"}},
        {"budget": "900719925474099.1", "unit": "0.1"},
        {"unit": "999999999999999", "budget": "999999999999999", "most": "999999999999999"},
        {"unit": "0.3333333333333333333333333333"},
    ],
)
def test_after_extreme_settings_everything_works(tmp_path, extreme):
    with Campaign.create(tmp_path / "a.db", "a", **{**FINE, **extreme}) as campaign:
        everything_works(campaign)


def test_reports_that_have_aged_away_count_nothing(tmp_path):
    """Part of a round, a thousand half-lives ago, was 0 as a float; its losses were not."""
    log = tmp_path / "log.csv"
    log.write_text(
        "date,place,amount,incidents,exposure\n2023-02-01,A,1,100000,1e-9\n2022-01-01,A,1,999999999999999,1e-100\n"
        "2024-01-01,B,1,0,1\n"
    )
    with Campaign.create(tmp_path / "a.db", "a", **FINE, losses="counts", half_life=1) as campaign:
        campaign.import_log(log)
        campaign.ask(date="2022-01-02")
        everything_works(campaign)


def test_rows_that_are_too_much_together_are_refused(tmp_path):
    log = tmp_path / "log.csv"
    with Campaign.create(tmp_path / "a.db", "a", **FINE, losses="counts") as campaign:
        for row in ("2024-01-01,A,1,900000000000000,1\n" * 11_000, "2024-01-01,A,1,9,900000000000000\n" * 2):
            log.write_text(f"date,place,amount,incidents,exposure\n{row}2024-01-01,B,1,0,1\n")
            with pytest.raises(InputError, match="it has incidents or rounds beyond 1e.15"):
                campaign.import_log(log)
        everything_works(campaign)
