"""A record is written as the API describes it, and its description follows from its type."""

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, NamedTuple

from allotment.campaign.answers.frontier import Frontier
from allotment.campaign.answers.overview import Overview
from allotment.campaign.answers.status import ArmStatus, Status
from allotment.campaign.answers.track_record import TrackRecord
from allotment.campaign.forms.answer import Record, plain_data
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.web.api import schemas


class Row(NamedTuple):
    place: str
    amount: Decimal
    situation: str | None = None


@dataclass(frozen=True)
class Sample(Record):
    computed: ClassVar = ("many",)

    day: datetime.date
    rows: tuple[Row, ...]

    @property
    def many(self) -> int:
        return len(self.rows)


def test_a_record_is_written_as_it_is_described(monkeypatch):
    monkeypatch.setattr(schemas, "_definitions", {})
    rows = [{"place": "Dock", "amount": "2.5", "situation": None}]
    assert plain_data(Sample(datetime.date(2026, 1, 2), (Row("Dock", Decimal("2.5")),))) == {
        "day": "2026-01-02",
        "rows": rows,
        "many": 1,
    }
    assert schemas.schema_of(Sample) == {"$ref": "#/components/schemas/Sample"}
    described, row = schemas._definitions["Sample"], schemas._definitions["Row"]
    assert described["required"] == ["day", "rows", "many"]
    assert described["properties"]["many"] == {"type": "integer"}
    assert (row["type"], row["required"]) == ("object", ["place", "amount"])  # a situation may be left out
    assert row["properties"].keys() == rows[0].keys()


def test_what_is_computed_of_an_answer_is_part_of_its_data():
    """Users' programs read these names, so that none may be lost."""
    assert {kind: kind.computed for kind in (ArmStatus, Status, TrackRecord)} == {
        ArmStatus: ("prevented_losses", "expected_costs"),
        Status: ("waiting",),
        TrackRecord: ("inside",),
    }
    computed = [each.computed for each in (Frontier, Overview, TriedPlan)]
    assert computed == [("budget_for_target",), ("next",), ("differences",)]
