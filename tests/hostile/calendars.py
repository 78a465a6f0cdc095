"""Calendars of situations as files."""

from hostile.cases import Case, kind
from hostile.laboratory import changed_toml
from hostile.logs import PLACES
from hostile.schemas import makes_sense
from hostile.stores import STORE

CALENDAR = """default = "weekday"
[[rules]]
dates = ["2026-12-25", 2026-12-26]
situations = "weekend"
[[rules]]
days = ["Sat", "Sun"]
months = [7, "August"]
period = ["2026-07-01", "2026-08-31"]
situations = ["weekday", "weekend"]
"""
NEW = ("new", STORE, "--places", "places.csv", "--budget", "3", "--unit", "1", "--seed", "1")


@kind("calendar", cases=40, quick=(3,))
def calendar(luck, work, masters):
    (work / "places.csv").write_text(PLACES)
    (work / "week.toml").write_text(changed_toml(luck, CALENDAR))
    situations = ("--timezone", "UTC", "--situations", "weekday,weekend", "--calendar", "week.toml")
    return Case((*NEW, *situations), (STORE,), makes_sense)
