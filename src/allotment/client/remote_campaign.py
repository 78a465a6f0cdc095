"""A campaign on a server. It has the methods of `Campaign`, and each is one request."""

import datetime
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

from allotment.campaign.access.rights import Rights
from allotment.campaign.answers.checks.finding import Finding
from allotment.campaign.answers.event_words import Difference
from allotment.campaign.answers.history_reader import HistoryPage
from allotment.campaign.answers.overview import Overview
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.answer import plain_data
from allotment.campaign.forms.shapes import shapes_by_name
from allotment.campaign.history.events import Event
from allotment.campaign.logs.import_report import ImportReport
from allotment.campaign.planning.plan import BriefPlan, Plan
from allotment.campaign.planning.plan_bounds import CheckedOrders
from allotment.campaign.planning.standing_plan import DayPlan
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.campaign.safety.copies import check_target
from allotment.campaign.settings.settings import Settings
from allotment.campaign.sheets.writing import sheet_bytes
from allotment.checks import flag
from allotment.client.line import Line, reader
from allotment.client.wire import asked, called_like, field_of, orders_of, part_of, text_of
from allotment.errors import InputError
from allotment.system.files import AnyPath, read_bytes, replacing

UNSEEN_SEED = 0  # where the server shows none


class RemoteCampaign:
    """A campaign on a server, with `Campaign`'s daily methods. Made by `connect`."""

    def __init__(self, line: Line, number: int, name: str) -> None:
        self._line, self._name = line, name
        self._path = f"/campaigns/{number}"

    def close(self) -> None:
        """Let go of the connection."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Campaign {self._name!r} on {self._line.url}>"

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def settings(self) -> Settings:
        """The settings as they are now. Seeds are 0 unless the token is a planner's for all campaigns."""
        found = {"seed": UNSEEN_SEED, **self._get("settings")}
        if "control" in found:
            found["control"] = {"seed": str(UNSEEN_SEED), **found["control"]}
        return Settings.from_dict(found)

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return int(self._line.get(self._path)["last_event"])

    @called_like(Campaign.ask)
    def ask(self, **orders: Any) -> Plan:
        """Make a plan on the server."""
        return self.plan_for(**orders, also=True).plan

    @called_like(Campaign.plan_for)
    def plan_for(self, *, explore: bool, again: bool, also: bool, key: str | None, **orders: Any) -> DayPlan:
        """Get a plan from the server, or make one there."""
        body = {**orders_of(**orders), "explore": explore, "again": again, "also": also}
        found: DayPlan = self._post("plans", body, DayPlan, key=key)
        return found

    @called_like(Campaign.plans_for)
    def plans_for(self, *, explore: bool, again: bool, key: str | None, **orders: Any) -> tuple[DayPlan, ...]:
        """Get or make all plans of a date on the server."""
        body = {**orders_of(**orders), "explore": explore, "again": again}
        found: tuple[DayPlan, ...] = self._post("plans/all", body, tuple[DayPlan, ...], key=key)
        return found

    @called_like(Campaign.tell)
    def tell(self, plan_id: str, *, rights: Rights | None, key: str | None, **report: Any) -> tuple[str, ...]:
        """Report to the server, which knows the rights of the token."""
        if rights is not None:
            raise InputError("rights are given to a server", "none: the token has its own", what="rights")
        return tuple(
            self._post(f"plans/{part_of(plan_id)}/report", report, dict[str, Any], key=key)["untold"]
        )

    def undo(self, id: str, *, what: str | None = None, key: str | None = None) -> None:  # noqa: A002 - the user's word
        """Take back an import, or a plan's report, cancellation or closing."""
        self._post("undo", {"id": str(id), "what": what}, key=key)

    def close_plan(self, plan_id: str, *, key: str | None = None) -> None:
        """Say that nothing more will be reported of a plan."""
        self._post(f"plans/{part_of(plan_id)}/close", key=key)

    def cancel(self, plan_id: str, *, key: str | None = None) -> None:
        """Say that a plan is not carried out."""
        self._post(f"plans/{part_of(plan_id)}/cancel", key=key)

    def remark(self, text: str, *, date: Any = None, key: str | None = None) -> None:
        """Write a remark about a day into the history on the server."""
        self._post("remarks", {"text": text, "date": text_of(date)}, key=key)

    @called_like(Campaign.import_log)
    def import_log(
        self,
        path: AnyPath,
        *,
        period: Any,
        columns: Mapping[str, str] | None,
        file_name: str | None,
        key: str | None,
        **options: Any,
    ) -> ImportReport:
        """Send the file to the server, which imports it."""
        first, last = (None, None) if period is None else period
        named = None if columns is None else json.dumps(dict(columns))
        given = {**options, "first": first, "last": last, "columns": named}
        data = {name: field_of(value) for name, value in given.items() if value is not None}
        file = (file_name or Path(path).name, read_bytes(path))
        report: ImportReport = self._line.write(
            "POST", f"{self._path}/imports", None, ImportReport, key=key, data=data, files={"file": file}
        )
        return report

    @called_like(Campaign.add_arm)
    def add_arm(self, *, key: str | None, **settings: Any) -> None:
        """Add an arm on the server."""
        self._post("places", settings, key=key)

    def rename_arm(self, old: str, new: str, *, key: str | None = None) -> None:
        """Give an arm another name; the old one keeps pointing to it."""
        self._post("places/rename", {"old": old, "new": new}, key=key)

    def retire_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan no longer for an arm. Its evidence is kept."""
        self._post("places/retire", {"name": name}, key=key)

    def restore_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan for a retired arm again."""
        self._post("places/restore", {"name": name}, key=key)

    def rename_situation(self, old: str, new: str, *, key: str | None = None) -> None:
        """Give a situation another name; the old one keeps pointing to it."""
        self._post("situations/rename", {"old": old, "new": new}, key=key)

    @called_like(Campaign.change)
    def change(self, *, key: str | None, **settings: Any) -> None:
        """Change settings on the server."""
        self._line.write("PATCH", f"{self._path}/settings", plain_data(self._with_shapes(settings)), key=key)

    @called_like(Campaign.try_change)
    def try_change(self, **settings: Any) -> tuple[Difference, ...]:
        """Try a change on the server."""
        found: tuple[Difference, ...] = self._ask(
            "settings/try", self._with_shapes(settings), tuple[Difference, ...]
        )
        return found

    # Questions: each is asked where `Campaign` says.
    plan = asked(Campaign.plan)
    latest = asked(Campaign.latest)
    situations_on = asked(Campaign.situations_on)
    report = asked(Campaign.report)
    orders = asked(Campaign.orders)
    changes_since = asked(Campaign.changes_since)
    in_force = asked(Campaign.in_force)
    evidence = asked(Campaign.evidence)
    status = asked(Campaign.status)
    frontier = asked(Campaign.frontier)
    forecast = asked(Campaign.forecast)
    effect = asked(Campaign.effect)
    effect_duration = asked(Campaign.effect_duration)
    record = asked(Campaign.record)
    checkup = asked(Campaign.checkup)
    explain = asked(Campaign.explain)
    explain_place = asked(Campaign.explain_place)
    place_history = asked(Campaign.place_history)
    unreported = asked(Campaign.unreported)
    imports = asked(Campaign.imports)

    def day(self, date: Any = None) -> datetime.date:
        """The date that is meant; today's in the campaign's time zone if none is given."""
        return self.settings.day(date)

    def open_plans(self) -> tuple[BriefPlan, ...]:
        """The plans that await a report, oldest first."""
        return self._plans(state="open")

    def plans_of(self, date: Any = None) -> tuple[BriefPlan, ...]:
        """All plans of a date, cancelled ones included; of today, if none is given."""
        return self._plans(state="any", date=date)

    def to_report(self, date: Any = None, situation: str | None = None) -> tuple[BriefPlan, ...]:
        """The plans that a report may be meant for: the open ones of a date, or of today and yesterday."""
        return self._plans(state="reportable", date=date, situation=situation)

    @called_like(Campaign.check_orders)
    def check_orders(self, **orders: Any) -> CheckedOrders:
        """Check orders on the server."""
        found: CheckedOrders = self._ask("orders/check", orders_of(**orders), CheckedOrders)
        return found

    def overview(self) -> Overview:
        """Where things stand yesterday and today, and what to do next."""
        found: Overview = self._get("overview", Overview)
        return replace(found, store=self._line.url)

    @called_like(Campaign.what_if)
    def what_if(self, **changes: Any) -> TriedPlan:
        """Try settings and orders on the server."""
        found: TriedPlan = self._ask("what-if", self._with_shapes(orders_of(**changes)), TriedPlan)
        return found

    def check(self, *, progress: Callable[[float], None] | None = None) -> tuple[Finding, ...]:
        """The alarms and warnings: where the world no longer looks as the model assumes."""
        return self.checkup(progress=progress).alarms

    def history(self) -> Iterator[Event]:
        """The events, first to last. The rows of imports are left out, and redacted events have no hashes."""
        for each in self._line.pages(f"{self._path}/history"):
            yield Event.from_dict({"request": "", "hash": "", **each})

    def history_list(self, after: int = 0, limit: int = 50) -> list[dict[str, Any]]:
        """Some events after a number as plain data, without the rows of imports."""
        events = (each for each in self._line.pages(f"{self._path}/history") if each["number"] > after)
        return list(islice(events, limit))

    def history_page(self, page: int = 1, *, size: int = 50, **wanted: Any) -> HistoryPage:
        """Some events in words, the newest first, of those that are wanted."""
        asked = {name: text_of(value) for name, value in wanted.items()}
        found: HistoryPage = self._get("history/words", HistoryPage, page=page, size=size, **asked)
        return found

    # These need plans and settings alone.
    draw_map, sheet = Campaign.draw_map, Campaign.sheet
    _sheets: Any = Campaign._sheets

    def sheet_content(self, plan_id: str | Iterable[str], kind: str = "html") -> bytes:
        """A duty sheet, or the sheets of several plans, as the content of a file: html or pdf."""
        if not isinstance(plan_id, str):
            return sheet_bytes(self._sheets(plan_id), kind)
        return self._line.file(f"{self._path}/plans/{part_of(plan_id)}/sheet", kind=kind)

    def export(self, path: AnyPath, *, overwrite: bool = False, redacted: bool = False) -> None:
        """Write the history as JSON Lines; without the seed unless the token plans all campaigns."""
        check_target(path, overwrite)
        content = self._line.file(f"{self._path}/export", redacted=text_of(flag("redacted", redacted)))
        with replacing(path) as draft:
            draft.write_bytes(content)

    def _get(self, path: str, kind: Any = Any, /, **wanted: Any) -> Any:
        return self._line.get(f"{self._path}/{path}", kind, **wanted)

    def _ask(self, path: str, body: Mapping[str, Any], kind: Any) -> Any:
        return self._line.ask(f"{self._path}/{path}", plain_data(body), kind)

    def _post(self, path: str, body: Any = None, kind: Any = None, *, key: str | None = None) -> Any:
        return self._line.write("POST", f"{self._path}/{path}", plain_data(body), kind, key=key)

    def _plans(self, *, state: str, date: Any = None, situation: str | None = None) -> tuple[BriefPlan, ...]:
        found = self._line.pages(f"{self._path}/plans", state=state, date=text_of(date), situation=situation)
        plans = reader(list[BriefPlan]).validate_python(list(found))
        return tuple(sorted(plans, key=lambda plan: plan.date))

    def _with_shapes(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings to send; outlines in a file are read here, and not by the server."""
        given = dict(settings)
        if isinstance(given.get("shapes"), str | os.PathLike):
            given["shapes"] = shapes_by_name(given["shapes"], self.settings.aliases)
        return given
