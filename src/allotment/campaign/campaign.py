"""A campaign: durable ask and tell. Every write is an event; everything else is what the events imply."""

import datetime
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from allotment.campaign import names
from allotment.campaign.access.recording import check_reach, check_report
from allotment.campaign.access.rights import Rights
from allotment.campaign.amounts import listed, plain
from allotment.campaign.answers.event_words import Difference, differences
from allotment.campaign.answers.explanation import Explanation
from allotment.campaign.answers.forecast import Forecast, forecast_of
from allotment.campaign.answers.frontier import Frontier, frontier_of
from allotment.campaign.answers.history_reader import HistoryItem, HistoryPage, HistoryReader, PastImport
from allotment.campaign.answers.overview import Overview, overview_of
from allotment.campaign.answers.place_history import SETTINGS, PlaceHistory, place_history_of
from allotment.campaign.answers.place_story import PlaceStory, story_of
from allotment.campaign.answers.plan_report import PlanReport, report_in
from allotment.campaign.answers.status import Status, status_of
from allotment.campaign.changes import (
    APPLY,
    change_of,
    changed,
    check_usable_amounts,
    first_settings,
    new_arm,
)
from allotment.campaign.history import copies
from allotment.campaign.history.checking import verify, verify_plans, wishes_in
from allotment.campaign.history.events import Draft, Event, Request, digest, moment
from allotment.campaign.history.plan_records import PlanRecord
from allotment.campaign.history.snapshots import packed, unpacked, worth_keeping
from allotment.campaign.history.state import State
from allotment.campaign.history.store.store import Read, Store
from allotment.campaign.logs.import_report import ImportReport, RefusedError
from allotment.campaign.logs.importing import held_against, read_log
from allotment.campaign.logs.log_files import fingerprint, has_heading
from allotment.campaign.logs.log_format import LogFormat
from allotment.campaign.logs.log_looks import sheets_of
from allotment.campaign.logs.log_rows import HeadingError
from allotment.campaign.planning.asking import PlanInputs, planned
from allotment.campaign.planning.checked_orders import CheckedOrders
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.planning.plan import BriefPlan, Plan, in_brief
from allotment.campaign.planning.plan_bounds import Wishes, bounds_of, names_in
from allotment.campaign.planning.plan_inputs import inputs_of
from allotment.campaign.planning.plan_memory import memory_of, refuse_if_too_large
from allotment.campaign.planning.queueing import in_turn
from allotment.campaign.planning.standing_plan import DayPlan, changes_in, check_same_orders, standing_plan
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.campaign.settings import LATER, Settings
from allotment.campaign.sheets.duty_sheet import sheet_of
from allotment.campaign.sheets.writing import sheet_bytes, write_sheet
from allotment.campaign.telling import (
    cancelling,
    closing,
    report_of,
    reportable,
    undoing,
    warn_of_large_amounts,
)
from allotment.checks import flag, whole
from allotment.compiling.switches import without_waiting
from allotment.errors import ConflictError, NotFoundError, StoreError
from allotment.files import AnyPath
from allotment.plots.outlines import draw_outlines

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class EvidenceRow(NamedTuple):
    """What was seen of an arm at one amount, in the user's units."""

    arm: str
    amount: int | float
    rounds: int | float
    losses: int | float


class LogRead(NamedTuple):
    """How a log was read: by which import, and as what."""

    made_by: str
    read_as: Mapping[str, Any]


class _Known:
    """What the history implied when it was last read; all authors of a campaign in a process share it."""

    state: State | None = None


class _OvertakenError(Exception):
    """Another plan was asked for in the meantime."""


class Campaign:
    """Plans for the arms of a campaign, round after round, kept in a store.

    Made by `Campaign.create`, opened by `Campaign.open`. All amounts are in the user's own units. Each method
    that writes returns when what it wrote is safe on disk; a `key` makes it safe to be called again.
    """

    def __init__(self, store: Store, number: int, by: str) -> None:
        self.store = store
        self.by = by
        self._number = number
        self._known = _Known()
        self._lock = threading.RLock()
        self._reader = HistoryReader(store, number)

    @classmethod
    def create(
        cls,
        store: AnyPath,
        name: str,
        *,
        arms: Iterable[str],
        budget: Any,
        unit: Any,
        most: Any,
        least: Any = 0,
        severities: Any = None,
        groups: Mapping[str, Any] | None = None,
        thresholds: Any = None,
        shapes: Any = None,
        sees: str = "losses",
        losses: str = "binary",
        half_life: Any = None,
        scale: Any = None,
        timezone: str | None = None,
        policy: str = "any-response",
        seed: int | None = None,
        day_starts: str | None = None,
        crew: Any = None,
        moves: Any = None,
        author: str | None = None,
        key: str | None = None,
    ) -> Self:
        """Begin a campaign in a file or a PostgreSQL database, which is made if need be."""
        given = {k: v for k, v in locals().items() if k not in ("cls", "store", "author", "key", "__class__")}
        for later in (*LATER, "crew"):  # so that a request of an earlier version stays the same request
            if given[later] is None:
                del given[later]
        given["arms"] = names_in("arms", arms)  # once: it may be an iterator
        by = names.author(author)
        settings = first_settings(**given)
        check_usable_amounts(settings)
        bounds_of(settings)
        refuse_if_too_large(settings)
        request = Request.of(by, key, "create", given)
        opened = Store(store, create=True)
        try:
            return cls(
                opened, opened.create(settings.name, request, Draft("created", settings.to_dict())), by
            )
        except BaseException:
            opened.close()
            raise

    @classmethod
    def open(cls, store: AnyPath, name: str | None = None, *, author: str | None = None) -> Self:
        """A campaign that is there; the name may be left out if it is the only one."""
        by = names.author(author)
        opened = Store(store)
        try:
            return cls(opened, opened.find(name), by)
        except BaseException:
            opened.close()
            raise

    def signed(self, author: str) -> Self:
        """The same campaign for another author. It shares the store, and all that was read from it."""
        found = copy(self)
        found.by = names.author(author)
        return found

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r} in {self.store.name}>"

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self._current().settings

    @property
    def name(self) -> str:
        """What it is called."""
        return self.settings.name

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return self._current().number

    def ask(
        self,
        *,
        date: Any = None,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        moves: Any = None,
        explore: bool = True,
        key: str | None = None,
    ) -> Plan:
        """The next plan, safe on disk, whether its date has one or not.

        `explore=False` plans with the mean curves.
        """
        wishes = {"budget": budget, "exclude": exclude, "require": require, "fix": fix, "moves": moves}
        return self.plan_for(date, **wishes, explore=explore, also=True, key=key).plan

    def plan_for(
        self,
        date: Any = None,
        *,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        moves: Any = None,
        explore: bool = True,
        again: bool = False,
        also: bool = False,
        key: str | None = None,
    ) -> DayPlan:
        """The plan that a date has, if it is open; otherwise a new one, safe on disk.

        `again` replaces the open plan, which is cancelled. `also` makes a plan beside the one that is there.
        """
        exclude, require = names_in("exclude", exclude), names_in("require", require)
        given = {"date": date, "budget": budget, "exclude": exclude, "require": require, "fix": fix}
        given |= {} if moves is None else {"moves": moves}
        explore, again, also = flag("explore", explore), flag("again", again), flag("also", also)
        if again and also:
            raise ConflictError("again and also are both set", "one of them", what="again")
        given |= {"explore": explore, **({"again": True} if again else {})}
        request = Request.of(self.by, key, "ask", given)
        known = self.store.answered(self._number, request)
        if known is not None:
            return DayPlan(self.plan(known.payload["plan"]), made=False)
        with in_turn(self.store.name, self._number):
            while True:
                with self._lock:  # only while looking: reports never wait for an ask
                    state = self._current()
                    inputs = inputs_of(state, self.store, self._number, date)
                    standing = None if also else standing_plan(state, inputs.day, again=again)
                settings = inputs.settings
                wishes = Wishes.requested(settings, budget, exclude, require, fix, moves)
                if standing is not None and not again:
                    return self._standing(standing, settings, wishes, explore=explore)
                with without_waiting():
                    plan = planned(inputs, inputs.bounds(wishes), explore=explore)
                payload = {**plan, "wishes": wishes.to_dict(settings)}
                if standing is not None:
                    payload["replaces"] = standing.id
                with suppress(_OvertakenError):
                    return DayPlan(self._append_plan(request, payload), made=True)

    def _append_plan(self, request: Request, payload: dict[str, Any]) -> Plan:
        """Record a plan, if its number is still free and the plan that it replaces has no report."""

        def decide(read: Read) -> Draft:
            state = self._caught_up(read)
            if len(state.plans) + 1 != int(payload["plan"]):
                raise _OvertakenError
            if "replaces" in payload:  # a report may have come in the meantime
                state.plan(payload["replaces"]).check_untold()
            return Draft("asked", payload)

        with self._lock:
            event = self.store.append(self._number, request, decide)
            self._keep_snapshot(self._current())
        return self.plan(event.payload["plan"])

    def _standing(self, plan: PlanRecord, settings: Settings, wishes: Wishes, *, explore: bool) -> DayPlan:
        """A plan that is there already, if it was asked for with the same orders."""
        payload = self.store.event(self._number, plan.asked).payload
        check_same_orders(plan, payload, settings, wishes, explore=explore)
        return DayPlan(
            self.plan(plan.id),
            made=False,
            changes=changes_in(self.store.events(self._number, payload["knew"])),
        )

    def tell(
        self,
        plan_id: str,
        losses: Mapping[str, Any],
        *,
        amounts: Mapping[str, Any] | None = None,
        correct: bool = False,
        keep: bool = False,
        knew: int | None = None,
        rights: Rights | None = None,
        key: str | None = None,
    ) -> tuple[str, ...]:
        """Report what happened, and what was granted in truth; returns the arms still to be reported.

        `correct` replaces what was told before of the arms that are named; None withdraws an arm's report.
        `keep` leaves out named arms that have a report. `knew` is the number of the last
        event that the reporter has seen: a later report of these arms that says something else is a conflict.
        With `rights`, a report beyond them is refused.
        """
        correct, keep = flag("correct", correct), flag("keep", keep)
        if keep and correct:
            raise ConflictError("keep and correct are both set", "one of them", what="keep")
        knew = None if knew is None else whole("knew", knew, least=0)
        given: dict[str, Any] = {"plan": str(plan_id), "losses": losses, "amounts": amounts}
        given["correct"] = correct
        given |= {"keep": True} if keep else {}  # keys of earlier versions hold
        given |= {} if knew is None else {"knew": knew}

        def decide(state: State) -> Mapping[str, Any]:
            if rights is not None:  # first: what is wrong with a report may name places that others see
                check_reach(rights, state, (losses, amounts))
            report = report_of(state, plan_id, losses, amounts, correct, keep=keep, knew=knew)
            if rights is not None:
                check_report(rights, state, report, lambda event: self.store.event(self._number, event).by)
            return report

        event = self._write("told", "tell", given, key, decide)
        warn_of_large_amounts(self.settings, event.payload["amounts"])
        return self.plan(event.payload["plan"]).untold

    def undo(self, id: str, *, what: str | None = None, key: str | None = None) -> None:  # noqa: A002 - the user's word
        """Take back an import (its report's id), or of a plan (its id) what is in force.

        `what` is "report", "cancellation" or "closing"; it may be left out if only one of them is in force.
        """
        given = {"id": str(id)} if what is None else {"id": str(id), "what": what}
        self._write("undone", "undo", given, key, lambda state: undoing(state, id, what))

    def close_plan(self, plan_id: str, *, key: str | None = None) -> None:
        """Say that nothing more will be reported of a plan. Late reports are still taken."""
        self._write("closed", "close", {"plan": str(plan_id)}, key, lambda state: closing(state, plan_id))

    def cancel(self, plan_id: str, *, key: str | None = None) -> None:
        """Say that a plan is not carried out."""
        self._write(
            "cancelled", "cancel", {"plan": str(plan_id)}, key, lambda state: cancelling(state, plan_id)
        )

    def import_log(
        self,
        path: AnyPath,
        *,
        amount: Any = None,
        period: Any = None,
        incidents: str = "count",
        correct: bool = False,
        dry_run: bool = False,
        columns: Mapping[str, str] | None = None,
        header: int | None = None,
        sheet: str | None = None,
        dates: str | None = None,
        file_name: str | None = None,
        key: str | None = None,
    ) -> ImportReport:
        """Make evidence of a log: columns date, place, amount, incidents, exposure. All of it, or nothing.

        For logs of other programs: `columns` are the log's names by ours, `header` is the row of the heading,
        `sheet` the sheet of an Excel file, and `dates` the order of its dates: dmy, mdy or ymd. With a
        `file_name`, `path` is a copy of that sheet in CSV, and reports call the log by that name.
        """
        given = {"amount": amount, "period": period, "incidents": incidents, "correct": correct}
        form = LogFormat.of(columns, header, sheet, dates)
        dry_run = flag("dry_run", dry_run)
        try:
            log = read_log(path, self.settings, form, **given, file_name=file_name)
        except HeadingError as error:
            raise self._with_proposal(path, form, error) from None
        given |= {name: value for name, value in vars(form).items() if value}  # keys of earlier versions hold
        said = {**given, "content": fingerprint(path)}
        if dry_run:
            return replace(held_against(log, self._current())[0], id=None)

        def decide(state: State) -> Mapping[str, Any]:
            report, payload = held_against(log, state)
            if report.refused:
                raise RefusedError(report)
            return payload

        event = self._write("imported", "import", said, key, decide)
        return ImportReport.from_dict(event.payload["report"])

    def log_formats(self) -> tuple[LogRead, ...]:
        """How logs of other programs were read, by the imports that are in force, the newest first."""
        made = [each for each in self.imports() if each.is_live and each.report.read_as is not None]
        return tuple(LogRead(each.report.id or "", each.report.read_as or {}) for each in made)

    def _with_proposal(self, path: AnyPath, form: LogFormat, error: HeadingError) -> HeadingError:
        """The same error, or how the last import read a log with the same heading; other sheets are named."""
        for made_by, said in self.log_formats():
            if has_heading(path, said):
                wrong = f"the log has the heading of {made_by}, and was not read in the same way"
                options = LogFormat.from_dict(said).options()
                return HeadingError(wrong, f"the options of that import: {options}", what="log")
        others = sheets_of(Path(path))[1:] if form.sheet is None else ()
        if not others:
            return error
        return HeadingError(f"{error}; or --sheet with another sheet: {listed(others)}", what="log")

    def add_arm(
        self,
        name: str,
        *,
        most: Any,
        least: Any = 0,
        severity: Any = 1.0,
        group: str | None = None,
        threshold: Any = None,
        shape: Any = None,
        crew: Any = None,
        key: str | None = None,
    ) -> None:
        """Add an arm, from the next plan on."""
        given = {"most": most, "least": least, "severity": severity}
        rest = {"group": group, "threshold": threshold, "shape": shape, "crew": crew}
        self._change(
            "arm added",
            "add_arm",
            {"name": name, **given, **rest},
            key,
            lambda settings: {"arm": new_arm(settings, name, **given, **rest).to_dict()},
        )

    def rename_arm(self, old: str, new: str, *, key: str | None = None) -> None:
        """Give an arm another name; the old one keeps pointing to it."""

        def decide(settings: Settings) -> Mapping[str, Any]:
            number, name = settings.find(old), names.name("a place's name", new)
            settings.check_free(name, unless=number)
            return {"old": settings.arms[number].name, "new": name}

        self._change("arm renamed", "rename_arm", {"old": old, "new": new}, key, decide)

    def retire_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan no longer for an arm; what is known of it is kept."""
        self._activate("arm retired", "retire_arm", name, key, before=True)

    def restore_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan for a retired arm again."""
        self._activate("arm restored", "restore_arm", name, key, before=False)

    def change(self, *, key: str | None = None, **settings: Any) -> None:
        """Change settings from now on: budget, unit, scale, half_life, groups, moves, shapes, day_starts; of
        arms most, least, crew, severities, thresholds.
        """
        self._change(
            "changed", "change", settings, key, lambda current: {"settings": change_of(current, settings)}
        )

    def try_change(self, **settings: Any) -> tuple[Difference, ...]:
        """What `change` would change, old → new; an error if it would raise one. Nothing is written."""
        before = self.settings
        after = _changed(before, "changed", {"settings": change_of(before, settings)})
        return differences(before, after)

    def plan(self, plan_id: str) -> Plan:
        """A plan, and how far it has been reported."""
        with self._lock:
            state = self._current()
            record = state.plan(plan_id)
            event = self.store.event(self._number, record.asked)
            weighted = is_weighted(state.settings)
            return Plan.of(event.payload, record, state.amounts, event.by, event.at, weighted=weighted)

    def latest(self, date: Any = None) -> Plan | None:
        """The newest plan that is not cancelled, of a date if one is given; None if there is none."""
        with self._lock:
            state = self._current()
            found = state.latest(None if date is None else self.day(date))
            return None if found is None else self.plan(found.id)

    def day(self, date: Any = None) -> datetime.date:
        """The date that is meant; today's in the campaign's time zone if none is given."""
        return self.settings.day(date)

    def open_plans(self) -> tuple[BriefPlan, ...]:
        """The plans that await a report, oldest first."""
        return in_brief(plan for plan in self._current().plans if plan.open)

    def plans_of(self, date: Any = None) -> tuple[BriefPlan, ...]:
        """All plans of a date, cancelled ones included; of today, if none is given."""
        day = self.day(date)
        return in_brief(plan for plan in self._current().plans if plan.date == day)

    def report(self, plan_id: str) -> PlanReport:
        """What was reported of each arm of a plan, when and by whom, and what was reported before."""
        with self._lock:
            plan, state = self.plan(plan_id), self._current()
            record = state.plan(plan_id)
            return report_in(plan, record, state, self._events_about(record))

    def _events_about(self, plan: PlanRecord) -> list[Event]:
        """The events that may hold the reports of a plan."""
        return self.store.events_of(self._number, ("told", "undone"), plan.asked, plan.last_told)

    def orders(self, plan_id: str) -> dict[str, Any]:
        """The orders of the day that a plan was made with: budget, exclude, require, fix; moves if set."""
        with self._lock:
            payload = self.store.event(self._number, self._current().plan(plan_id).asked).payload
        return dict(payload["wishes"])

    def check_orders(
        self,
        date: Any = None,
        *,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        moves: Any = None,
    ) -> CheckedOrders:
        """Whether orders of the day and bounds can be met together; an error names those that cannot.

        Nothing is written, and no plan is computed.
        """
        self.day(date)
        settings = self.settings
        wishes = Wishes.requested(settings, budget, exclude, require, fix, moves)
        return CheckedOrders.of(bounds_of(settings, wishes), settings)

    def changes_since(self, plan_id: str) -> tuple[str, ...]:
        """What was recorded after a plan was made that could lead to another plan, in words."""
        with self._lock:
            payload = self.store.event(self._number, self._current().plan(plan_id).asked).payload
            return changes_in(self.store.events(self._number, payload["knew"]))

    @property
    def identity(self) -> str:
        """A text that no other campaign has. It says nothing of the seed, unlike the hash of an event."""
        first = self.store.event(self._number, 1)
        return digest(moment(first.at), first.by, first.key)

    def to_report(self, date: Any = None) -> tuple[BriefPlan, ...]:
        """The plans that a report may be meant for: the open ones of a date, or of today and yesterday.

        Of a date without an open plan, it is the latest one, for a late report or a correction.
        """
        with self._lock:
            return in_brief(reportable(self._current(), date))

    def overview(self) -> Overview:
        """Where things stand yesterday and today, and what to do next."""
        return overview_of(self._current(), self.store.name)

    def in_force(self, plan_id: str) -> dict[str, tuple[str, ...]]:
        """What `undo` can take back of a plan, each with its authors."""
        with self._lock:
            plan = self._current().plan(plan_id)
            return {
                what: tuple(dict.fromkeys(self.store.event(self._number, number).by for number in events))
                for what, events in plan.in_force.items()
            }

    def import_event(self, import_id: str) -> Event:
        """The event of an import, with its author and its report."""
        return self.store.event(self._number, self._current().find_import(import_id).event)

    def evidence(self) -> list[EvidenceRow]:
        """What the history implies: rounds and losses by arm and amount, as they were reported."""
        with self._lock:
            state = self._current()
            tallies = state.tallies()
            arms = state.settings.arms
        return [
            EvidenceRow(arms[each.arm].name, plain(each.amount), _number(each.rounds), _number(each.losses))
            for each in tallies
        ]

    def status(self) -> Status:
        """What is known of every arm today: losses if left alone, and what each amount prevents."""
        with self._lock:
            inputs = self._inputs()
            awaiting, state = self.open_plans(), self._current()
            newest = state.latest()
            granted = {} if newest is None else state.granted(newest)
        with without_waiting():
            return status_of(inputs, awaiting, granted)

    def frontier(self, *, target: Any = None, cost: bool = False) -> Frontier:
        """Expected losses and cost against budget, and what one unit more would prevent.

        With a `target` of losses, or of `cost`, the smallest budget that reaches it: `budget_for_target`.
        """
        inputs = self._inputs()
        with without_waiting():
            return frontier_of(inputs.settings, inputs.tallies, target, cost)

    def what_if(self, **changes: Any) -> TriedPlan:
        """The plan that would come next if something were otherwise; nothing is written.

        Takes what `change` takes, and what `ask` does. It is compared with the plan of its date, or with the
        plan that would come as things are.
        """
        wishes: dict[str, Any] = {}
        for name in ("exclude", "require", "fix"):
            if name in changes:
                wishes[name] = changes.pop(name)
        explore = flag("explore", changes.pop("explore", True))
        day, settings = changes.pop("date", None), self.settings
        if changes:
            settings = changed(settings, change_of(settings, changes)).checked()
            check_usable_amounts(settings, self.settings)
        inputs = self._inputs(day, settings)
        asked: dict[str, Any] = {"budget": None, "exclude": (), "require": (), "fix": None, **wishes}
        bounds = inputs.bounds(Wishes.requested(settings, **asked))
        with without_waiting():
            tried = planned(inputs, bounds, explore=explore)
            current = self.latest(inputs.day)
            if current is not None:
                return TriedPlan.compared(tried, current, made=True)
            usual = self._inputs(day)
            as_it_is = planned(usual, usual.bounds(), explore=explore)
            return TriedPlan.compared(tried, Plan.of(as_it_is), made=False)

    def forecast(self, rounds: int, *, progress: Callable[[float], None] | None = None) -> Forecast:
        """Losses to expect in the next rounds: with this policy, and with what else one might do.

        `progress` is called now and then with the share of the work that is done.
        """
        return forecast_of(self._inputs(), rounds, progress or (lambda share: None))

    def explain(self, plan_id: str) -> Explanation:
        """Why a plan is what it is, as it was stored with the plan."""
        with self._lock:
            state = self._current()
            event = self.store.event(self._number, state.plan(plan_id).asked)
            return Explanation.of(event.payload, weighted=is_weighted(state.settings))

    def explain_place(self, plan_id: str, name: str) -> PlaceStory:
        """The full story of one arm in a plan: evidence, curve, bounds, what one unit more or less does."""
        with self._lock:
            why, state = self.explain(plan_id), self._current()
            payload = self.store.event(self._number, state.plan(plan_id).asked).payload
            seen = state.tallies()
        settings = state.settings
        arm = settings.find(name)
        numbers = [settings.aliases[each] for each in payload["arms"]]
        if arm not in numbers:
            raise NotFoundError(
                f"plan {plan_id} has no place {name!r}", "a place of that plan", what="place", value=name
            )
        reported = {plain(row.amount): (row.rounds, row.losses) for row in seen if row.arm == arm}
        return story_of(payload, why, numbers.index(arm), settings, settings.arms[arm], reported)

    def place_history(self, name: str) -> PlaceHistory:
        """What plans granted to an arm and what was reported of it, imports, and changes of its settings."""
        with self._lock:
            state = self._current()
            return place_history_of(
                state, self.store.events_of(self._number, SETTINGS), state.settings.find(name)
            )

    def history(self) -> Iterator[Event]:
        """The events, first to last, each checked against the one before."""
        return self.store.chain(self._number)

    def history_list(self, after: int = 0, limit: int = 50) -> list[dict[str, Any]]:
        """Some events after a number as plain data, unchecked and without the rows of imports."""
        return self.store.listed_events(self._number, after, limit)

    def history_page(self, page: int = 1, *, size: int = 50, **wanted: Any) -> HistoryPage:
        """Some events in words, the newest first, of those that are wanted.

        `first` and `last` are dates on which they were recorded, or that their plans are for; `kind` is a
        kind of event, `place` a place that they are about, and `by` who did it.
        """
        return self._reader.page(page, size, **wanted)

    def history_items(self, **wanted: Any) -> Iterator[HistoryItem]:
        """All events in words, first to last, of those that are wanted, as `history_page` takes them."""
        return self._reader.items(**wanted)

    def imports(self) -> tuple[PastImport, ...]:
        """All imports with what they took, the newest first, those that were undone included."""
        return self._reader.imports()

    def draw_map(self, plan_id: str) -> "Figure":
        """Draw a plan on a map, for places whose shapes are known."""
        plan, settings = self.plan(plan_id), self.settings
        shapes = {name: settings.arms[settings.find(name)].shape for name in plan.amounts}
        known = {name: shape for name, shape in shapes.items() if shape is not None}
        if not known:
            raise NotFoundError(
                "no place has a shape", "shapes= at the beginning, or change(shapes=)", what="shapes"
            )
        left_out = len(shapes) - len(known)
        note = f"{left_out} more places, without a shape, are left out." if left_out else ""
        return draw_outlines(known, plan.amounts, f"Granted on {plan.date}", note)

    def sheet(self, plan_id: str, path: AnyPath) -> None:
        """Write a plan as a duty sheet to print on A4, .html or .pdf; an earlier sheet is replaced."""
        write_sheet(sheet_of(self.plan(plan_id), self.settings), path)

    def sheet_content(self, plan_id: str, kind: str = "html") -> bytes:
        """The same as the content of a file: html or pdf."""
        return sheet_bytes(sheet_of(self.plan(plan_id), self.settings), kind)

    def export(self, path: AnyPath, *, overwrite: bool = False, redacted: bool = False) -> None:
        """Write the history as JSON Lines, one event a line.

        A file that is there is replaced with `overwrite` only, and a database never. A `redacted` history
        leaves out the seed, and so it cannot be replayed.
        """
        self._current()  # a history that makes no sense is not worth a file
        overwrite, redacted = flag("overwrite", overwrite), flag("redacted", redacted)
        copies.export(self.store, self._number, path, overwrite=overwrite, redacted=redacted)

    @classmethod
    def replay(cls, path: AnyPath, store: AnyPath) -> Self:
        """An exported history as a campaign of another store; the same plans follow from it."""
        with copies.checked_export(path) as history:
            opened = Store(store, create=True)
            try:
                return cls(opened, opened.adopt([history])[0], names.author(None))
            except BaseException:
                opened.close()
                raise

    def backup(self, path: AnyPath) -> None:
        """Copy the whole store, while it is in use, into a new SQLite file."""
        copies.back_up(self.store, path)

    def verify(self, *, plans: bool = False) -> None:
        """Derive everything anew and compare; with `plans`, compute the plans anew as well."""
        with self._lock, self.store.named():
            verify(self.store, self._number, self._known.state)
        if flag("plans", plans):
            verify_plans(self.store, self._number, self._planned_anew)

    def _current(self) -> State:
        """What the history implies at this moment."""
        with self._lock:
            return self._caught_up(lambda after: self.store.events(self._number, after))

    def _caught_up(self, read: Read) -> State:
        known = self._known
        state = known.state
        if state is None:
            state = self._from_snapshot() or State()
        known.state = None  # if an event makes no sense, what has been taken in is not to be trusted
        with self.store.named():
            known.state = state.follow(read(state.number))
        return known.state

    def _from_snapshot(self) -> State | None:
        """What the last snapshot holds, if it can be read and belongs to the history."""
        snapshot = self.store.snapshot(self._number)
        if snapshot is None or not self.store.follows(self._number, snapshot):
            return None
        return unpacked(snapshot)

    def _write(
        self,
        kind: str,
        name: str,
        given: Mapping[str, Any],
        key: Any,
        decide: Callable[[State], Mapping[str, Any]],
    ) -> Event:
        """Add an event that is decided on what the history then implies."""
        request = Request.of(self.by, key, name, given)
        with self._lock:
            self._current()  # what takes long is done before others have to wait
            event = self.store.append(
                self._number, request, lambda read: Draft(kind, decide(self._caught_up(read)))
            )
            self._keep_snapshot(self._current())
        return event

    def _keep_snapshot(self, state: State) -> None:
        if worth_keeping(state):
            try:
                self.store.keep_snapshot(self._number, packed(state))
            except StoreError:  # it only makes the next start faster
                return
            state.fresh = 0

    def _change(self, kind: str, name: str, given: Mapping[str, Any], key: Any, decide: Any) -> None:
        """Add a change of settings, if plans can still be made after it."""

        def checked(state: State) -> Mapping[str, Any]:
            payload: Mapping[str, Any] = decide(state.settings)
            _changed(state.settings, kind, payload)
            return payload

        self._write(kind, name, given, key, checked)

    def _activate(self, kind: str, method: str, name: str, key: Any, *, before: bool) -> None:
        def decide(settings: Settings) -> Mapping[str, Any]:
            arm = settings.arms[settings.find(name)]
            if arm.active is not before:
                now = "active" if arm.active else "retired"
                raise ConflictError(f"place {arm.name!r} is {now} already", what="arm", value=name)
            return {"arm": arm.name}

        self._change(kind, method, {"name": name}, key, decide)

    def _inputs(self, day: Any = None, settings: Settings | None = None) -> PlanInputs:
        with self._lock:
            return inputs_of(self._current(), self.store, self._number, day, settings)

    def _planned_anew(self, state: State, payload: dict[str, Any]) -> dict[str, Any]:
        inputs = inputs_of(state, self.store, self._number, payload["date"])
        bounds = inputs.bounds(wishes_in(state.settings, payload))
        return planned(inputs, bounds, explore=payload["explore"])


def _changed(before: Settings, kind: str, payload: Mapping[str, Any]) -> Settings:
    """Settings after a change, if plans can still be made with them."""
    after = APPLY[kind](before, payload).checked()
    check_usable_amounts(after, before)
    if after.active:
        bounds_of(after)
    if memory_of(after) > memory_of(before):  # what is too large may shrink step by step
        refuse_if_too_large(after)
    return after


def campaigns(store: AnyPath) -> tuple[str, ...]:
    """The names of the campaigns that a store holds."""
    with Store(store) as opened:
        return opened.campaigns()


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
