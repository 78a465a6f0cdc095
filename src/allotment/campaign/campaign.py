"""Campaign: durable `ask` and `tell`. Every write is an event; all other state follows from the events."""

import datetime
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, Unpack, cast

from allotment.campaign.access.questions import REPORTS, SEES, question
from allotment.campaign.access.recording import check_reach, check_report
from allotment.campaign.access.rights import Rights
from allotment.campaign.answers.checks.calendar_alarm import calendar_line
from allotment.campaign.answers.checks.finding import Checkup, Finding
from allotment.campaign.answers.effect.control_history import effect_in
from allotment.campaign.answers.effect.effect import Effect
from allotment.campaign.answers.effect.effect_duration import Duration, duration_in
from allotment.campaign.answers.event_words import Difference, differences
from allotment.campaign.answers.forecast import Forecast, forecast_of
from allotment.campaign.answers.frontier import Frontier, frontier_of
from allotment.campaign.answers.history_reader import (
    HistoryItem,
    HistoryPage,
    HistoryReader,
    PastImport,
)
from allotment.campaign.answers.overview import Overview, overview_of
from allotment.campaign.answers.place_history import (
    SETTING_KINDS,
    PlaceHistory,
    PlanReport,
    place_history_of,
    report_in,
)
from allotment.campaign.answers.place_story import PlaceStory, story_of
from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.answers.record_sums import told_plans
from allotment.campaign.answers.status import Status, status_of
from allotment.campaign.answers.track_record import TrackRecord, record_of
from allotment.campaign.answers.unreported import DAYS, Unreported, unreported_in
from allotment.campaign.answers.untold_then import REPORTING, untold_then
from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import listed, plain
from allotment.campaign.forms.read_only import changeable
from allotment.campaign.history.events import (
    Draft,
    Event,
    Request,
    digest,
    key_of_part,
    moment,
)
from allotment.campaign.history.kinds import OF_SETTINGS, drafted
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.plan_records import PlanRecord
from allotment.campaign.history.snapshots import packed, unpacked, worth_keeping
from allotment.campaign.history.state import State
from allotment.campaign.history.store.found_rows import Found, found_by, note_found
from allotment.campaign.history.store.store import Read, Store
from allotment.campaign.history.telling import (
    cancelling,
    closing,
    report_of,
    reportable,
    undoing,
    warn_of_large_amounts,
)
from allotment.campaign.logs.import_report import ImportReport, RefusedError
from allotment.campaign.logs.importing import held_against, read_log
from allotment.campaign.logs.log_files import fingerprint, has_heading
from allotment.campaign.logs.log_format import LogFormat
from allotment.campaign.logs.log_looks import sheets_of
from allotment.campaign.logs.log_rows import HeadingError
from allotment.campaign.planning.asking import PlanInputs, planned
from allotment.campaign.planning.decision import memory_of, refuse_if_too_large
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.planning.plan import BriefPlan, Plan, in_brief, reads_otherwise
from allotment.campaign.planning.plan_bounds import CheckedOrders, bounds_of, check_bounds
from allotment.campaign.planning.plan_inputs import inputs_of
from allotment.campaign.planning.queueing import in_turn
from allotment.campaign.planning.standing_plan import (
    DayPlan,
    changes_in,
    check_same_orders,
    standing_plan,
)
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.campaign.planning.wishes import Wishes, names_in
from allotment.campaign.safety import copies
from allotment.campaign.safety.checking import situation_in, verify, verify_plans, wishes_in
from allotment.campaign.settings.changes import (
    change_of,
    changed,
    check_severities,
    check_usable_amounts,
    first_settings,
    new_arm,
)
from allotment.campaign.settings.control import refuse_empty_comparison, refuse_finds
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situation_bounds import situation_of_change
from allotment.campaign.settings.specification import BY_NAME, OF_ARMS, SETTINGS, Changes
from allotment.campaign.sheets.duty_sheet import DutySheet, sheet_of
from allotment.campaign.sheets.writing import sheet_bytes, write_sheets
from allotment.checks import flag, whole
from allotment.compiling.switches import without_waiting
from allotment.errors import ConflictError, NotFoundError, StoreError
from allotment.plots.outlines import draw_outlines
from allotment.system.files import AnyPath

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class EvidenceRow(NamedTuple):
    """The rounds and losses of a place at one amount, in the user's units."""

    arm: str
    amount: int | float
    rounds: int | float
    losses: int | float


class SituationEvidenceRow(NamedTuple):
    """The same in one situation, where a campaign has situations."""

    arm: str
    amount: int | float
    rounds: int | float
    losses: int | float
    situation: str


class LogRead(NamedTuple):
    """How an import read a log of another program: the import's id, its format and all of its options."""

    made_by: str
    read_as: Mapping[str, Any]
    options: str


Call = TypeVar("Call", bound=Callable[..., Any])


def _reads_once(method: Call) -> Call:
    """A method all of whose parts see one state, and read each event once."""

    @wraps(method)
    def call(self: "Campaign", *arguments: Any, **options: Any) -> Any:
        return method(self if self._reading is not None else self.reading_once(), *arguments, **options)

    return cast(Call, call)


class _Known:
    """What the history implied when it was last read; all authors of a campaign in a process share it."""

    state: State | None = None
    identity: str | None = None


class _Reading:
    """What a request has read: whether it has read the state, and single events."""

    def __init__(self) -> None:
        self.has_state = False
        self.events: dict[int, Event] = {}


class _OvertakenError(Exception):
    """Another plan was recorded while this one was computed."""


class Campaign:
    """Daily plans for a set of places, kept in a store: ask for a plan, tell what happened.

    `Campaign.create` makes a campaign and `Campaign.open` opens one; use either in a `with` block. All
    amounts are in the user's own units. A method that writes returns once the event is safe on disk.
    Repeating it with the same idempotency `key` has no further effect.

    Attributes
    ----------
    settings : Settings
        The current settings.
    name : str
        The name of the campaign.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = f"{folder.name}/night.db"
    >>> Campaign.create(store, "night", arms=["Dock", "Gate"], budget=3, unit=1, most=2).close()
    >>> with Campaign.open(store) as night:
    ...     night.settings.budget, night.latest() is None
    (Decimal('3'), True)
    >>> folder.cleanup()
    """

    def __init__(self, store: Store, number: int, by: str) -> None:
        self.store = store
        self.by = by
        self._number = number
        self._known = _Known()
        self._lock = threading.RLock()
        self._reader = HistoryReader(store, number)
        self._reading: _Reading | None = None

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
        situations: Iterable[str] | None = None,
        calendar: Mapping[str, Any] | None = None,
        control: Any = None,
        note: str | None = None,
        author: str | None = None,
        key: str | None = None,
    ) -> Self:
        """Create a campaign in a file or a PostgreSQL database, which is created if need be.

        Parameters
        ----------
        store : str or path
            A file, or a postgresql:// URL.
        name : str
            The name of the campaign, unique in the store.
        arms : iterable of str
            The names of the places.
        budget : number, or mapping of str to number
            The amount to split in each plan. A mapping gives the budget of each situation.
        unit : number
            The smallest amount worth granting. Plans grant multiples of it.
        most, least : number, or mapping of str to number
            The largest and smallest amount that a plan may grant to each place. They may differ by
            situation: `{"Dock": 4, "Gate": 4, "night": {"Dock": 2}}`.
        severities : number, or mapping of str to number, optional
            The cost of one loss at each place. Defaults to 1.
        groups : mapping, optional
            Bounds on several places together: `{"north": {"arms": ["Dock", "Gate"], "least": 2, "most": 6}}`.
        thresholds : number, or mapping of str to number, optional
            The amount that covers a place, where it is known.
        shapes : mapping or path, optional
            GeoJSON whose features are named by place, for maps.
        sees : {"losses", "finds"}
            Whether reports count the losses that happened or the incidents that grants prevented.
        losses : {"binary", "counts"}
            Whether a report says yes or no (0 or 1), or counts.
        half_life : number, optional
            The number of days after which evidence counts half. Without it, evidence does not age.
        scale : number, optional
            The largest amount the model distinguishes. Defaults to the largest `most`.
        timezone : str, optional
            The time zone of dates, such as "Europe/Paris". Defaults to the machine's.
        policy : str
            "any-response", with parameters as on the command line.
        seed : int, optional
            The seed. Random by default.
        day_starts : str, optional
            The time at which a new date starts, such as "06:00". Midnight by default.
        crew : number, or mapping of str to number, optional
            The least amount that a place gets if it gets anything.
        moves : number, optional
            The largest total gain of places compared with the previous plan of the same situation.
        situations : iterable of str, optional
            The names of kinds of rounds that are known beforehand, such as weekday and weekend.
        calendar : mapping, optional
            The situations of dates: `{"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}],
            "default": "weekday"}`. The first rule that fits a date wins. Without a calendar, every date
            has all situations.
        control : number or mapping, optional
            Control rounds, for `effect`: the share of rounds in which the comparison plan is carried out by
            lot, or `{"share": 0.25, "plan": "equal"}`. The plan is "equal", "hot-spots", or amounts by
            place.
        note : str, optional
            A note on every duty sheet, such as "Meet at 6:45 at the east gate". At most 500 characters.
        author : str, optional
            Who creates it. Defaults to the user's name.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Returns
        -------
        Campaign
            The campaign.

        Raises
        ------
        InputError
            If a setting is out of range, or settings contradict each other.
        ConflictError
            If the store has a campaign of this name.
        StoreError
            If the store cannot be written.
        """
        given = {k: v for k, v in locals().items() if k not in ("cls", "store", "author", "key", "__class__")}
        for each in SETTINGS:  # a request keeps the hash that earlier versions gave it
            if each.is_later and given[each.name] is None:
                del given[each.name]
        given["arms"] = names_in("arms", arms)  # it may be an iterator, so read it once
        if situations is not None:
            given["situations"] = names_in("situations", situations)
        by = names.author(author)
        settings = first_settings(**given)
        check_usable_amounts(settings)
        check_severities(settings)
        check_bounds(settings)
        refuse_if_too_large(settings)
        request = Request.of(by, key, "create", given)
        opened = Store(store, create=True)
        try:
            return cls(
                opened, opened.create(settings.name, request, drafted("created", settings.to_dict())), by
            )
        except BaseException:
            opened.close()
            raise

    @classmethod
    def open(cls, store: AnyPath, name: str | None = None, *, author: str | None = None) -> Self:
        """Open a campaign.

        Parameters
        ----------
        store : str or path
            A file, or a postgresql:// URL.
        name : str, optional
            The name of the campaign. Not needed if the store has only one.
        author : str, optional
            Who will write. Defaults to the user's name.

        Returns
        -------
        Campaign
            The campaign.

        Raises
        ------
        NotFoundError
            If there is no such campaign, or several and no name.
        StoreError
            If the store cannot be read.
        """
        by = names.author(author)
        opened = Store(store)
        try:
            return cls(opened, opened.find(name), by)
        except BaseException:
            opened.close()
            raise

    def signed(self, author: str) -> Self:
        """Get the same campaign for another author.

        Parameters
        ----------
        author : str
            The author of its events.

        Returns
        -------
        Campaign
            It shares the store, and everything that was read from the store.
        """
        found = copy(self)
        found.by, found._reading = names.author(author), None
        return found

    def reading_once(self) -> Self:
        """Get the same campaign for one request: it reads the state, and each event, only once.

        What others record meanwhile need not show in its answers. What it writes itself always does, and
        is always checked against the newest state.

        Returns
        -------
        Campaign
            It shares the store, and everything that was read from the store.
        """
        found = copy(self)
        found._reading = _Reading()
        return found

    def read_anew(self) -> None:
        """Begin another request: the next answer reads the store again."""
        if self._reading is not None:
            self._reading = _Reading()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r} in {self.store.name}>"

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._current().settings

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self.settings.name

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return self._current().number

    def ask(
        self,
        *,
        date: Any = None,
        situation: str | None = None,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        moves: Any = None,
        explore: bool = True,
        key: str | None = None,
    ) -> Plan:
        """Make a new plan and record it, even if its date has a plan.

        Parameters
        ----------
        date : date or str, optional
            The date of the plan. Today by default.
        situation : str, optional
            The situation. The calendar gives it unless the date has several.
        budget : number, optional
            The budget for this plan only.
        exclude : iterable of str
            Places that get nothing, whatever their `least`.
        require : iterable of str
            Places that get at least one unit, or their crew.
        fix : mapping of str to number, optional
            Places that get exactly this amount.
        moves : number, optional
            The largest total gain compared with the previous plan, for this plan only.
        explore : bool
            Whether the plan may grant amounts in order to learn. If not, it is the best known plan.
        key : str, optional
            Idempotency key: repeating the call with the same key returns the same plan.

        Returns
        -------
        Plan
            The plan, safe on disk.

        Raises
        ------
        InputError
            If an order is out of range.
        ConflictError
            If orders and bounds cannot be met together.
        """
        wishes = {"budget": budget, "exclude": exclude, "require": require, "fix": fix, "moves": moves}
        return self.plan_for(date, situation=situation, **wishes, explore=explore, also=True, key=key).plan

    @_reads_once
    def plan_for(
        self,
        date: Any = None,
        *,
        situation: str | None = None,
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
        """Get the open plan of a date and situation, or make one and record it.

        Parameters
        ----------
        date, situation, budget, exclude, require, fix, moves, explore, key
            As in `ask`.
        again : bool
            Replace the open plan by a new one. The open plan is cancelled.
        also : bool
            Make a further plan for the same date and situation.

        Returns
        -------
        DayPlan
            The plan, whether it is new, and what has been recorded since it was made.

        Raises
        ------
        ConflictError
            If the open plan was made with other orders, has reports, or both `again` and `also` are set.
        """
        orders = _orders(budget, exclude, require, fix, moves)
        explore, again, also = flag("explore", explore), flag("again", again), flag("also", also)
        if again and also:
            raise ConflictError("again and also are both set", "one of them", what="again")
        request = self._ask_request(date, situation, orders, explore=explore, again=again, key=key)
        return self._answered(request) or self._found_or_made(
            request, date, situation, orders, explore=explore, again=again, also=also
        )

    def _ask_request(
        self, date: Any, situation: Any, orders: Mapping[str, Any], *, explore: bool, again: bool, key: Any
    ) -> Request:
        """The request for a plan, with the date as it was given: a retry after midnight is the same one."""
        given = {"date": date, **orders, "explore": explore}
        for name, each in (("moves", orders["moves"]), ("situation", situation), ("again", again or None)):
            given[name] = each
            if each is None:  # requests of earlier versions keep their hash
                del given[name]
        return Request.of(self.by, key, "ask", given)

    def _answered(self, request: Request) -> DayPlan | None:
        """The plan that a request has made or found, with the answer that it had; None if it is new."""
        known = self.store.answered(self._number, request)
        if known is not None:
            return DayPlan(self.plan(known.payload["plan"]), made=True)
        with self.store.transaction() as connection:
            found = found_by(connection, self._number, request)
        return None if found is None else self._shown(found)

    def _found_or_made(
        self,
        request: Request,
        date: Any,
        situation: str | None,
        orders: Mapping[str, Any],
        *,
        explore: bool,
        again: bool,
        also: bool = False,
    ) -> DayPlan:
        """The open plan of a date and situation, or a new one."""
        with in_turn(self.store.name, self._number):
            while True:
                with self._lock:  # not while planning, so that reports never wait for an ask
                    state = self._newest()
                    day = state.settings.day(date)
                    chosen = state.settings.situations.meant(day, situation)
                    inputs = inputs_of(state, self._event, day, chosen, is_kept=True)
                    standing = None if also else standing_plan(state, day, inputs.situation, again=again)
                settings = inputs.settings
                wishes = Wishes.requested(settings, **orders)
                if standing is not None and not again:
                    made = self._event(standing.asked).plan
                    check_same_orders(standing, made, settings, wishes, explore=explore)
                    return self._found(request, standing.id)
                with without_waiting():
                    plan = planned(inputs, inputs.bounds(wishes), explore=explore)
                payload = {**plan, "wishes": wishes.to_dict(settings)}
                if standing is not None:
                    payload["replaces"] = standing.id
                with suppress(_OvertakenError):
                    return DayPlan(self._append_plan(request, payload), made=True)

    @_reads_once
    def plans_for(
        self,
        date: Any = None,
        *,
        situation: str | None = None,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        moves: Any = None,
        explore: bool = True,
        again: bool = False,
        key: str | None = None,
    ) -> tuple[DayPlan, ...]:
        """Get or make all plans that the calendar asks for on a date. Repeating it has no further effect.

        On a date with several situations, told and closed plans stay as they are. Orders apply to the other
        plans; if there are none, the call is refused.

        Parameters
        ----------
        date, situation, budget, exclude, require, fix, moves, explore, again, key
            As in `plan_for`. With a situation, it is the plan of that situation alone.

        Returns
        -------
        tuple of DayPlan
            A plan for each situation of the date, in order.

        Raises
        ------
        ConflictError
            If one of the plans cannot be made. Then none is.
        """
        orders = _orders(budget, exclude, require, fix, moves)
        how: dict[str, Any] = {"explore": flag("explore", explore), "again": flag("again", again)}
        state = self._current()
        situations = state.settings.situations
        if situation is not None or not situations.several:
            return (self.plan_for(date, situation=situation, **orders, **how, key=key),)
        alone = self._ask_request(date, None, orders, **how, key=key)
        if (answered := self._answered(alone)) is not None:
            return (answered,)
        requests = {
            number: self._ask_request(date, name, orders, **how, key=key_of_part(key, number))
            for number, name in enumerate(situations.names)
        }
        tried = {} if key is None else {number: self._answered(each) for number, each in requests.items()}
        known = {number: each for number, each in tried.items() if each is not None}
        # The plans of this key belong to one date, even if "today" has become another since.
        day = next((each.plan.date for each in known.values()), state.settings.day(date))
        wanted = situations.on(day)
        if len(wanted) == 1 and not known:
            return (self._found_or_made(alone, day, None, orders, **how),)
        there = {number: state.latest(day, number) for number in wanted if number not in known}
        done = {number: plan for number, plan in there.items() if plan is not None and not plan.open}
        is_ordered = again or not explore or any(each not in (None, [], {}) for each in orders.values())
        for number, plan in there.items():  # before anything is written
            if number not in done:
                self.check_orders(day, situation=situations.names[number], **orders)
            if plan is not None and (plan.open or (is_ordered and len(done) == len(wanted))):
                standing_plan(state, day, number, again=again)
        for number in sorted(there, key=lambda number: there[number] is None):  # existing plans may refuse
            if number in done:
                known[number] = self._found(requests[number], done[number].id, ignores_orders=is_ordered)
            else:
                name = situations.names[number]
                known[number] = self._found_or_made(requests[number], day, name, orders, **how)
        return tuple(known[number] for number in wanted)

    def _append_plan(self, request: Request, payload: dict[str, Any]) -> Plan:
        """Record a plan if its number is still free and the plan that it replaces has no report."""

        def decide(read: Read) -> Draft:
            state = self._caught_up(read)
            if len(state.plans) + 1 != int(payload["plan"]):
                raise _OvertakenError
            if "replaces" in payload:  # a report may have come while the plan was computed
                state.plan(payload["replaces"]).check_untold()
            return drafted("asked", payload)

        with self._lock:
            event = self.store.append(self._number, request, decide)
            self._keep_snapshot(self._with(event))
        return self.plan(event.payload["plan"])

    def _found(self, request: Request, plan_id: str, *, ignores_orders: bool = False) -> DayPlan:
        """Answer a request with an existing plan, which its key leads to from now on."""
        found = Found(plan_id, ignores_orders)
        note_found(self.store, self._number, request, found)
        return self._shown(found)

    def _shown(self, found: Found) -> DayPlan:
        """An existing plan and, while it is open, what has been recorded since it was made."""
        plan = self._current().plan(found.plan)
        since = self.store.events(self._number, self._event(plan.asked).plan.knew) if plan.open else ()
        shown = DayPlan(self.plan(plan.id), made=False, changes=changes_in(since))
        return shown._replace(ignores_orders=found.ignores_orders)

    @_reads_once
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
        """Report what happened under a plan.

        Parameters
        ----------
        plan_id : str
            The plan.
        losses : mapping of str to number
            The losses (or finds) by place. None withdraws a place's report.
        amounts : mapping of str to number, optional
            The amounts that places actually received, where they differ from the plan.
        correct : bool
            Replace earlier reports of the named places. Without it, a different report is a conflict.
        keep : bool
            Leave out named places that have a report.
        knew : int, optional
            The last event that the reporter has seen. A later, different report of these places is a
            conflict.
        rights : Rights, optional
            The rights of the reporter. A report beyond them is refused.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Returns
        -------
        tuple of str
            The places that still have no report.

        Raises
        ------
        NotFoundError
            If there is no such plan or place.
        ConflictError
            If the plan is cancelled, or a place has a different report.
        NotAllowedError
            If the report is beyond the rights.

        Warns
        -----
        AmountWarning
            If an amount exceeds the scale.
        """
        correct, keep = flag("correct", correct), flag("keep", keep)
        if keep and correct:
            raise ConflictError("keep and correct are both set", "one of them", what="keep")
        knew = None if knew is None else whole("knew", knew, least=0)
        given: dict[str, Any] = {"plan": str(plan_id), "losses": losses, "amounts": amounts}
        given["correct"] = correct
        given |= {"keep": True} if keep else {}  # requests of earlier versions keep their hash
        given |= {} if knew is None else {"knew": knew}

        def decide(state: State) -> Mapping[str, Any]:
            if rights is not None:  # first: what is wrong with a report may name places that others see
                check_reach(rights, state, (losses, amounts))
            report = report_of(state, plan_id, losses, amounts, correct, keep=keep, knew=knew)
            if rights is not None:
                check_report(rights, state, report, lambda event: self._event(event).by)
            return report

        event = self._write("told", "tell", given, key, decide)
        warn_of_large_amounts(self.settings, event.payload["amounts"])
        return self._untold_after(event)

    def _untold_after(self, event: Event) -> tuple[str, ...]:
        """The places without a report after an event: a request that is repeated gets the answer it had."""
        plan = self.plan(event.payload["plan"])
        if event.number == self.last_event:
            return plan.untold
        events = self.store.events_of(self._number, REPORTING, until=event.number)
        return untold_then(plan.amounts, plan.id, events, self.settings)

    def undo(self, id: str, *, what: str | None = None, key: str | None = None) -> None:  # noqa: A002 - the user's word
        """Take back a plan's report, cancellation or closing, or an import.

        Parameters
        ----------
        id : str
            The id of a plan, or of an import (`ImportReport.id`).
        what : {"report", "cancellation", "closing"}, optional
            What to take back of a plan. Needed if more than one of them is in force.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        NotFoundError
            If there is no such plan or import.
        ConflictError
            If there is nothing to take back, or more than one thing and no `what`.
        """
        given = {"id": str(id)} if what is None else {"id": str(id), "what": what}
        self._write("undone", "undo", given, key, lambda state: undoing(state, id, what))

    def close_plan(self, plan_id: str, *, key: str | None = None) -> None:
        """Close a plan: no more reports are expected. A late report is still accepted.

        Parameters
        ----------
        plan_id : str
            The plan.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        ConflictError
            If the plan is cancelled, or closed already.
        """
        self._write("closed", "close", {"plan": str(plan_id)}, key, lambda state: closing(state, plan_id))

    def cancel(self, plan_id: str, *, key: str | None = None) -> None:
        """Cancel a plan that is not carried out.

        Parameters
        ----------
        plan_id, key
            The plan and an idempotency key, as in `close_plan`.

        Raises
        ------
        ConflictError
            If the plan has a report, or is cancelled already.
        """
        self._write(
            "cancelled", "cancel", {"plan": str(plan_id)}, key, lambda state: cancelling(state, plan_id)
        )

    def remark(self, text: str, *, date: Any = None, key: str | None = None) -> None:
        """Write a remark about a day into the history. It changes no plan and no evidence.

        Parameters
        ----------
        text : str
            The remark, at most 500 characters. Line breaks become spaces.
        date : date or str, optional
            The date that it is about. Today by default.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        InputError
            If the text is empty or too long, or the date is none.
        """

        def decide(state: State) -> Mapping[str, Any]:
            return {"date": state.settings.day(date).isoformat(), "text": names.remark(text)}

        self._write("remarked", "remark", {"text": text, "date": date}, key, decide)

    @_reads_once
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
        """Import a log of past incidents as evidence: all of its rows, or none.

        The log is a CSV, Excel or Parquet file with the columns date, place, amount, incidents and exposure.

        Parameters
        ----------
        path : str or path
            The file.
        amount : number, optional
            The amount of rows without one, and of quiet days that `period` adds.
        period : (date, date), optional
            The first and last day that the log covers. Days without a row count as quiet days.
        incidents : {"count", "any"}
            With "any", a round with several incidents counts as one loss.
        correct : bool
            Replace different reports and imports of the same place and date.
        dry_run : bool
            Write nothing, and return what would happen.
        columns : mapping of str to str, optional
            The log's column names, by ours.
        header : int, optional
            The row of the heading, counted from 1.
        sheet : str, optional
            The sheet of an Excel file.
        dates : {"dmy", "mdy", "ymd"}, optional
            The order of day, month and year in dates.
        file_name : str, optional
            The log's name in reports, if `path` is a copy of it in CSV.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Returns
        -------
        ImportReport
            What was read, skipped and refused. Its `id` is for `undo`.

        Raises
        ------
        InputError
            If the file is no log, or some rows are refused. The message names the lines.
        FileError
            If the file cannot be read.
        """
        given = {"amount": amount, "period": period, "incidents": incidents, "correct": correct}
        form = LogFormat.of(columns, header, sheet, dates)
        dry_run = flag("dry_run", dry_run)
        try:
            log = read_log(path, self.settings, form, **given, file_name=file_name)
        except HeadingError as error:
            raise self._with_proposal(path, form, error) from None
        given |= {name: value for name, value in vars(form).items() if value}  # as above
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
        """The formats in which imports in force read logs of other programs, newest first."""
        made = [each.report for each in self.imports() if each.is_live and each.report.read_as is not None]
        return tuple(LogRead(each.id or "", each.read_as or {}, each.options()) for each in made)

    def _with_proposal(self, path: AnyPath, form: LogFormat, error: HeadingError) -> HeadingError:
        """The same error, with a proposal: how an earlier import read such a heading, or other sheets."""
        for made_by, said, options in self.log_formats():
            if has_heading(path, said):
                wrong = f"the log has the same heading as {made_by}, but is read in another way"
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
        """Add a place, from the next plan on.

        Parameters
        ----------
        name : str
            The name of the place. No place, present or past, has it yet.
        most, least : number
            The largest and smallest amount that a plan may grant.
        severity : number
            The cost of one loss.
        group : str, optional
            The group to join.
        threshold : number, optional
            The amount that covers the place, if it is known.
        shape : mapping, optional
            A GeoJSON geometry, for maps.
        crew : number, optional
            The least amount that the place gets if it gets anything.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        ConflictError
            If the name was used before.
        InputError
            If a value is out of range.
        """
        given = {each: value for each, value in locals().items() if each in OF_ARMS}
        self._change(
            "arm added",
            "add_arm",
            {"name": name, **given},
            key,
            lambda settings: {"arm": new_arm(settings, name, given).to_dict()},
        )

    def rename_arm(self, old: str, new: str, *, key: str | None = None) -> None:
        """Rename a place. The old name keeps pointing to it.

        Parameters
        ----------
        old : str
            The present name, or an earlier one.
        new : str
            The new name.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        NotFoundError
            If there is no such place.
        ConflictError
            If another place has, or had, the new name.
        """

        def decide(settings: Settings) -> Mapping[str, Any]:
            number, name = settings.find(old), names.name("a place's name", new)
            settings.check_free(name, unless=number)
            return {"old": settings.arms[number].name, "new": name}

        self._change("arm renamed", "rename_arm", {"old": old, "new": new}, key, decide)

    def retire_arm(self, name: str, *, key: str | None = None) -> None:
        """Stop planning for a place. Its evidence is kept.

        Parameters
        ----------
        name : str
            The place.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        NotFoundError
            If there is no such place.
        ConflictError
            If it is retired already.
        """
        self._activate("arm retired", "retire_arm", name, key, before=True)

    def restore_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan for a retired place again.

        Parameters
        ----------
        name, key
            The place and an idempotency key, as in `retire_arm`.

        Raises
        ------
        ConflictError
            If it is not retired.
        """
        self._activate("arm restored", "restore_arm", name, key, before=False)

    def change(self, *, key: str | None = None, **settings: Unpack[Changes]) -> None:
        """Change settings, from the next plan on.

        Parameters
        ----------
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.
        **settings
            budget, unit, scale, half_life, groups, moves, shapes, day_starts; for places, most, least, crew,
            severities, thresholds; situations (all of them, with new ones added), calendar, control, note.
            Values are as in `create`. A new calendar also decides how situations are read that followed from
            a date. Changed control rounds start a new comparison. A note stands on all duty sheets at once.

        Raises
        ------
        InputError
            If a value is out of range, or no plan could be made with the new settings.
        """
        self._change(
            "changed", "change", settings, key, lambda current: {"settings": change_of(current, settings)}
        )

    def rename_situation(self, old: str, new: str, *, key: str | None = None) -> None:
        """Rename a situation. The old name keeps pointing to it.

        Parameters
        ----------
        old : str
            The present name, or an earlier one.
        new : str
            The new name.
        key : str, optional
            Idempotency key: repeating the call with the same key has no further effect.

        Raises
        ------
        NotFoundError
            If there is no such situation.
        ConflictError
            If another situation has, or had, the new name.
        """

        def decide(settings: Settings) -> Mapping[str, Any]:
            situations = settings.situations
            number, name = situations.find(old), situations.new_name(new)
            situations.renamed(number, name)
            return {"old": situations.names[number], "new": name}

        self._change("situation renamed", "rename_situation", {"old": old, "new": new}, key, decide)

    @_reads_once
    def try_change(self, **settings: Unpack[Changes]) -> tuple[Difference, ...]:
        """Show what `change` would change, without writing anything.

        Parameters
        ----------
        **settings
            As in `change`.

        Returns
        -------
        tuple of Difference
            Each changed setting, with its old and its new value.

        Raises
        ------
        InputError
            If `change` would raise it.
        """
        before = self.settings
        after = _changed(before, "changed", {"settings": change_of(before, settings)})
        return differences(before, after)

    @question("plans/{plan_id}", of=SEES)
    @_reads_once
    def plan(self, plan_id: str) -> Plan:
        """Get a plan and the state of its reports.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        Plan
            The plan.

        Raises
        ------
        NotFoundError
            If there is no such plan.
        """
        with self._lock:
            state = self._current()
            event = self._event(state.plan(plan_id).asked)
            return Plan.of(event.plan, event, state)

    @question("plans/latest", of=SEES)
    @_reads_once
    def latest(self, date: Any = None, situation: str | None = None) -> Plan | None:
        """Get the newest plan that is not cancelled.

        Parameters
        ----------
        date : date or str, optional
            Look at the plans of this date only.
        situation : str, optional
            Look at the plans of this situation only.

        Returns
        -------
        Plan or None
            The plan, or None if there is none.
        """
        with self._lock:
            state = self._current()
            of = None if situation is None else state.settings.situations.find(situation)
            found = state.latest(None if date is None else self.day(date), of)
            return None if found is None else self.plan(found.id)

    def day(self, date: Any = None) -> datetime.date:
        """Convert a date as people write it to a date.

        Parameters
        ----------
        date : date or str, optional
            A date, "today", "yesterday", … Today, in the campaign's time zone, by default.

        Returns
        -------
        datetime.date
            The date.

        Raises
        ------
        InputError
            If it is no date.
        """
        return self.settings.day(date)

    @question("situations", of=SEES)
    @_reads_once
    def situations_on(self, date: Any = None) -> tuple[str, ...]:
        """List the situations that the calendar gives to a date.

        Parameters
        ----------
        date : date or str, optional
            The date. Today by default.

        Returns
        -------
        tuple of str
            Their names, in order. Empty if the campaign has no situations.
        """
        settings = self.settings
        found = settings.situations.on(settings.day(date))
        return tuple(settings.situations.names[number] for number in found if settings.situations)

    def open_plans(self) -> tuple[BriefPlan, ...]:
        """The plans that wait for a report, oldest first."""
        state = self._current()
        return in_brief((plan for plan in state.plans if plan.open), state.settings)

    @_reads_once
    def plans_of(self, date: Any = None) -> tuple[BriefPlan, ...]:
        """List all plans of a date, including cancelled ones.

        Parameters
        ----------
        date : date or str, optional
            The date. Today by default.

        Returns
        -------
        tuple of BriefPlan
            The plans.
        """
        day, state = self.day(date), self._current()
        return in_brief((plan for plan in state.plans if plan.date == day), state.settings)

    @question("plans/{plan_id}/report", of=REPORTS)
    @_reads_once
    def report(self, plan_id: str) -> PlanReport:
        """Get the report of a plan: for each place its latest report with time and author, and earlier ones.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        PlanReport
            The report.
        """
        with self._lock:
            plan, state = self.plan(plan_id), self._current()
            record = state.plan(plan_id)
            return report_in(plan, record, state, self._events_about(record))

    def _events_about(self, plan: PlanRecord) -> list[Event]:
        """The events that may hold the reports of a plan."""
        return self.store.events_of(self._number, ("told", "undone"), plan.asked, plan.last_told)

    @question("plans/{plan_id}/orders")
    def orders(self, plan_id: str) -> dict[str, Any]:
        """Get the orders of the day with which a plan was made.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        dict
            budget, exclude, require and fix; moves if set.
        """
        with self._lock:
            payload = self._event(self._current().plan(plan_id).asked).payload
        found: dict[str, Any] = changeable(payload["wishes"])
        return found

    @_reads_once
    def check_orders(
        self,
        date: Any = None,
        *,
        situation: str | None = None,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        moves: Any = None,
    ) -> CheckedOrders:
        """Check whether orders of the day and bounds can be met together, without making a plan.

        Parameters
        ----------
        date, situation, budget, exclude, require, fix, moves
            As in `ask`.

        Returns
        -------
        CheckedOrders
            The orders in normal form.

        Raises
        ------
        ConflictError
            If they cannot be met. The message names the orders and bounds in conflict.
        """
        settings = self.settings
        number, _ = settings.situations.meant(settings.day(date), situation)
        within = settings.within(number)
        wishes = Wishes.requested(within, budget, exclude, require, fix, moves)
        return CheckedOrders.of(bounds_of(within, wishes), within)

    @question("plans/{plan_id}/changes")
    @_reads_once
    def changes_since(self, plan_id: str) -> tuple[str, ...]:
        """List the events since a plan was made that could lead to another plan.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        tuple of str
            Sentences.
        """
        with self._lock:
            made = self._event(self._current().plan(plan_id).asked).plan
            return changes_in(self.store.events(self._number, made.knew))

    @property
    def identity(self) -> str:
        """A text that no other campaign has. It says nothing of the seed, unlike the hash of an event."""
        if self._known.identity is None:
            first = self._event(1)
            self._known.identity = digest(moment(first.at), first.by, first.key)
        return self._known.identity

    def to_report(self, date: Any = None, situation: str | None = None) -> tuple[BriefPlan, ...]:
        """List the plans that a report may be meant for.

        Parameters
        ----------
        date : date or str, optional
            The date of the plan. If it has no open plan, the latest plan of each of its situations is
            listed, for a late report or a correction.
        situation : str, optional
            The situation of the plan.

        Returns
        -------
        tuple of BriefPlan
            The open plans of the date, or of today and yesterday.
        """
        with self._lock:
            state = self._current()
            return in_brief(reportable(state, date, situation), state.settings)

    def overview(self) -> Overview:
        """Summarise yesterday and today, and what to do next."""
        return overview_of(self._current(), self.store.name)

    @question("plans/{plan_id}/in-force")
    @_reads_once
    def in_force(self, plan_id: str) -> dict[str, tuple[str, ...]]:
        """List what `undo` can take back of a plan.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        dict of str to tuple of str
            "report", "cancellation" or "closing", each with its authors.
        """
        with self._lock:
            plan = self._current().plan(plan_id)
            return {
                what: tuple(dict.fromkeys(event.by for event in self._events(events)))
                for what, events in plan.in_force.items()
            }

    @_reads_once
    def import_event(self, import_id: str) -> Event:
        """Get the event of an import, with its author and its report.

        Parameters
        ----------
        import_id : str
            The id of the import.

        Returns
        -------
        Event
            The event.
        """
        return self._event(self._current().find_import(import_id).event)

    @question("evidence")
    def evidence(self) -> list[EvidenceRow] | list[SituationEvidenceRow]:
        """The evidence that the history implies: rounds and losses by place and amount, as reported.

        Where the campaign has situations, each row names its situation.
        """
        with self._lock:
            state = self._current()
            tallies, settings = state.tallies(), state.settings
        arms, called = settings.arms, settings.situations.names
        rows = [
            EvidenceRow(arms[each.arm].name, plain(each.amount), _number(each.rounds), _number(each.losses))
            for each in tallies
        ]
        if not called:
            return rows
        pairs = zip(rows, tallies, strict=True)
        return [SituationEvidenceRow(*row, called[each.situation]) for row, each in pairs]

    @question("status", seconds=10.0, dear=True)
    @_reads_once
    def status(self, *, situation: str | None = None) -> Status:
        """Summarise today's knowledge of every place: its loss rate, and what each amount prevents.

        Parameters
        ----------
        situation : str, optional
            The situation. By default the first one of today.

        Returns
        -------
        Status
            The knowledge of every place.
        """
        with self._lock:
            inputs = self._inputs(situation=situation)
            awaiting, state = self.open_plans(), self._current()
            newest = state.latest(situation=inputs.situation)
            granted = {} if newest is None else state.granted(newest)
            alarms = calendar_line(state)
        with without_waiting():
            found = status_of(inputs, awaiting, granted)
        return replace(found, warnings=(*found.warnings, *alarms))

    @question("frontier", work="frontier", dear=True)
    @_reads_once
    def frontier(self, *, target: Any = None, cost: bool = False, situation: str | None = None) -> Frontier:
        """Compute expected losses and cost for every budget.

        Parameters
        ----------
        target : number, optional
            Find the smallest budget whose expected losses are at most this: `Frontier.budget_for_target`.
        cost : bool
            Whether the target is a cost, weighted by severity.
        situation : str, optional
            The situation. By default the first one of today.

        Returns
        -------
        Frontier
            A row for each budget, and what one unit more would prevent.
        """
        inputs = self._inputs(situation=situation)
        with without_waiting():
            return frontier_of(inputs, target, cost)

    @_reads_once
    def what_if(
        self,
        *,
        date: Any = None,
        situation: str | None = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        explore: bool = True,
        **changes: Unpack[Changes],
    ) -> TriedPlan:
        """Show the plan that would come next under other settings or orders, without writing anything.

        Parameters
        ----------
        date, exclude, require, fix, explore
            As in `ask`.
        situation : str, optional
            The situation. By default the first one of the date; if a budget or bound names situations, the
            first one of these.
        **changes
            Settings as in `change`.

        Returns
        -------
        TriedPlan
            The plan, compared with the plan of its date, or with the plan under the present settings.

        Raises
        ------
        InputError
            If a value is out of range.
        """
        explore = flag("explore", explore)
        with self._lock:  # others may add places meanwhile, which these settings do not know
            before = settings = self.settings
            if changes:
                settings = changed(settings, change_of(settings, changes)).checked()
                check_usable_amounts(settings, before)
                check_severities(settings, before)
            if situation is None:
                situation = situation_of_change(changes, settings, settings.day(date))
            inputs = self._inputs(date, situation, settings)
            current = self._current().under(settings).latest(inputs.day, inputs.situation)
            made = None if current is None else self.plan(current.id)
            is_known = before.situations.known(situation) is not None
            usual = inputs if made else self._inputs(date, situation if is_known else None)
        bounds = inputs.bounds(Wishes.requested(inputs.settings, None, exclude, require, fix))
        with without_waiting():
            tried = PlanPayload.of(planned(inputs, bounds, explore=explore))
            if made is not None:
                return TriedPlan.compared(tried, made, made=True)
            as_it_is = planned(usual, usual.bounds(), explore=explore)
            return TriedPlan.compared(tried, Plan.of(PlanPayload.of(as_it_is)), made=False)

    @question("forecast", work="forecast", dear=True)
    @_reads_once
    def forecast(self, rounds: int, *, progress: Callable[[float], None] | None = None) -> Forecast:
        """Forecast the losses of the next rounds, under this policy and under simpler rules.

        Parameters
        ----------
        rounds : int
            The number of rounds.
        progress : callable, optional
            Called from time to time with the share of the work that is done.

        Returns
        -------
        Forecast
            The expected losses of each rule.
        """
        named = self.settings.situations.names or (None,)
        inputs = [self._inputs(situation=name) for name in named]
        return forecast_of(inputs, rounds, progress or (lambda share: None))

    @question("effect", dear=True)
    def effect(self) -> Effect:
        """Estimate the losses per round that plans prevent, compared with control rounds.

        Its exact interval holds at every time at which someone looks, and assumes nothing about the model.

        Returns
        -------
        Effect
            The estimate, its intervals, and the rounds that they rest on.

        Raises
        ------
        NotFoundError
            If no control round was drawn, or none has been reported.
        ConflictError
            If too many reports are missing for a fair comparison.
        """
        asked = self.store.events_of(self._number, ("asked",))  # before the lock: this takes long
        stored = {event.number: event.plan for event in asked if event.version >= BY_NAME["control"].since}
        stored = {number: plan for number, plan in stored.items() if plan.control is not None}
        with self._lock:
            return effect_in(self._current(), stored)

    @question("effect/duration", work="duration of the effect", dear=True)
    @_reads_once
    def effect_duration(
        self, *, share: Any = None, prevented: Any = None, situation: str | None = None
    ) -> Duration:
        """Estimate how many rounds control rounds need to show an effect, and what they cost until then.

        Parameters
        ----------
        share : number, optional
            A further share of control rounds to show. Defaults to the present one.
        prevented : number, optional
            A further effect to show: the share of losses that plans prevent.
        situation : str, optional
            The situation. By default the first one of today.

        Returns
        -------
        Duration
            The number of rounds for several shares and effects.
        """
        refuse_finds(self.settings)
        inputs = self._inputs(situation=situation)
        with without_waiting():
            return duration_in(inputs, share, prevented)

    @question("record", work="record", dear=True)
    def record(self, *, by: str = "month") -> TrackRecord:
        """Compare what plans expected, at the amounts that were granted, with what happened.

        Parameters
        ----------
        by : {"month", "week", "situation", "group", "place"}
            What the rounds are added up by. Situations, groups and names of places are the present ones.

        Returns
        -------
        TrackRecord
            Expected losses and cost with 90 % bands, and what was reported.

        Raises
        ------
        InputError
            If `by` is something else.
        """
        with self._lock:
            state = self._current()
            told, settings = told_plans(state), state.settings
        with self.store.named():
            return record_of(
                told,
                settings,
                lambda after, until: self.store.events_of(self._number, ("asked",), after, until),
                by,
            )

    def check(self, *, progress: Callable[[float], None] | None = None) -> tuple[Finding, ...]:
        """Check whether the world still looks as the model assumes.

        Parameters
        ----------
        progress : callable, optional
            Called from time to time with the share of the work that is done.

        Returns
        -------
        tuple of Finding
            The alarms and warnings, each with its evidence and its remedy. Empty if there is none.
        """
        return self.checkup(progress=progress).alarms

    @question("check", work="check", dear=True)
    def checkup(self, *, progress: Callable[[float], None] | None = None) -> Checkup:
        """Run the same checks as `check`, and show their results even if nothing was found.

        Parameters
        ----------
        progress : callable, optional
            Called from time to time with the share of the work that is done.

        Returns
        -------
        Checkup
            The result of each check.
        """
        from allotment.campaign.answers.checks.check import Begun  # loads Numba

        with self._lock:
            state = self._current()
            begun = Begun.of(state, state.settings.day())
        return begun.finished(progress or (lambda share: None))

    @question("plans/{plan_id}/explanation", dear=True)
    @_reads_once
    def explain(self, plan_id: str) -> Explanation:
        """Explain a plan, as stored with it: its reasons, its price and what moved since the previous plan.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        Explanation
            A reason for every place.
        """
        with self._lock:
            state = self._current()
            record = state.plan(plan_id)
            event = self._event(record.asked)
            found = Explanation.of(event.plan, weighted=is_weighted(state.settings))
            now = state.settings.situations.name(record.situation)
            return replace(found, counts_as=now if reads_otherwise(record, event.plan) else None)

    @question("plans/{plan_id}/explanation/place", dear=True)
    @_reads_once
    def explain_place(self, plan_id: str, name: str) -> PlaceStory:
        """Explain one place of a plan: its evidence, curve, bounds, and the effect of one unit more.

        Parameters
        ----------
        plan_id : str
            The plan.
        name : str
            The place.

        Returns
        -------
        PlaceStory
            The explanation.

        Raises
        ------
        NotFoundError
            If the plan has no such place.
        """
        with self._lock:
            why, state = self.explain(plan_id), self._current()
            made = self._event(state.plan(plan_id).asked).plan
            of = state.plan(plan_id).recorded
            seen = [each for each in state.tallies() if each.situation == of]
            settings = state.settings.within(of)
        arm = settings.find(name)
        numbers = [settings.aliases[each] for each in made.arms]
        if arm not in numbers:
            raise NotFoundError(
                f"plan {plan_id} has no place {name!r}", "a place of that plan", what="place", value=name
            )
        reported = {plain(row.amount): (row.rounds, row.losses) for row in seen if row.arm == arm}
        return story_of(made, why, numbers.index(arm), settings, settings.arms[arm], reported)

    @question("places/history")
    def place_history(self, name: str) -> PlaceHistory:
        """List the grants and reports of a place, its imports, and changes of its settings.

        Parameters
        ----------
        name : str
            The place.

        Returns
        -------
        PlaceHistory
            The history.
        """
        with self._lock:
            state = self._current()
            return place_history_of(
                state, self.store.events_of(self._number, SETTING_KINDS), state.settings.find(name)
            )

    @question("places/unreported")
    @_reads_once
    def unreported(self, days: int = DAYS) -> Unreported:
        """List the active places that have had no report for some days, although plans had them.

        Parameters
        ----------
        days : int
            The smallest number of days, from the first plan after the last report of a place to today.

        Returns
        -------
        Unreported
            The places, the longest without a report first.

        Raises
        ------
        InputError
            If the number of days is not from 1 to 10,000.
        """
        with self._lock:
            return unreported_in(self._current(), days)

    def history(self) -> Iterator[Event]:
        """Iterate over the events, first to last, checking the hash of each against its predecessor."""
        return self.store.chain(self._number)

    def history_list(self, after: int = 0, limit: int = 50) -> list[dict[str, Any]]:
        """List events as plain data, without checking their hashes and without the rows of imports.

        Parameters
        ----------
        after : int
            The number of the event before the first.
        limit : int
            The largest number of events.

        Returns
        -------
        list of dict
            The events, first to last.
        """
        return self.store.listed_events(self._number, after, limit)

    def history_page(self, page: int = 1, *, size: int = 50, **wanted: Any) -> HistoryPage:
        """Describe one page of events in words, newest first.

        Parameters
        ----------
        page : int
            The page, counted from 1.
        size : int
            The number of events on a page.
        **wanted
            `first` and `last` (dates), `kind` (of event), `place`, `situation` (of plan) and `by` (author)
            select events.

        Returns
        -------
        HistoryPage
            The events in words.
        """
        return self._reader.page(page, size, **wanted)

    def history_items(self, **wanted: Any) -> Iterator[HistoryItem]:
        """Iterate over events in words, first to last.

        Parameters
        ----------
        **wanted
            As in `history_page`.

        Returns
        -------
        iterator of HistoryItem
            The events in words.
        """
        return self._reader.items(**wanted)

    @question("imports")
    def imports(self) -> tuple[PastImport, ...]:
        """All imports with their reports, newest first, including imports that were undone."""
        return self._reader.imports()

    def draw_map(self, plan_id: str) -> "Figure":
        """Draw a plan on a map of the places whose shapes are known.

        Parameters
        ----------
        plan_id : str
            The plan.

        Returns
        -------
        matplotlib.figure.Figure
            The map.

        Raises
        ------
        NotFoundError
            If no place has a shape.
        """
        plan, settings = self.plan(plan_id), self.settings
        shapes = {name: settings.arms[settings.find(name)].shape for name in plan.amounts}
        known = {name: shape for name, shape in shapes.items() if shape is not None}
        if not known:
            raise NotFoundError(
                "no place has a shape", "shapes= at the beginning, or change(shapes=)", what="shapes"
            )
        left_out = len(shapes) - len(known)
        note = f"{left_out} more places, without a shape, are left out." if left_out else ""
        of = "" if plan.situation is None else f" ({plan.situation})"
        return draw_outlines(known, plan.amounts, f"Granted on {plan.date}{of}", note)

    def sheet(self, plan_id: str | Iterable[str], path: AnyPath) -> None:
        """Write a plan as a duty sheet to print on A4, or several plans into one file.

        Parameters
        ----------
        plan_id : str, or iterable of str
            The plan, or several plans, such as all shifts of a date.
        path : str or path
            The file, .html or .pdf. An earlier file of this name is replaced.
        """
        write_sheets(self._sheets(plan_id), path)

    @_reads_once
    def sheet_content(self, plan_id: str | Iterable[str], kind: str = "html") -> bytes:
        """Make a duty sheet, or the duty sheets of several plans, as the content of a file.

        Parameters
        ----------
        plan_id : str, or iterable of str
            The plan, or several plans, such as all shifts of a date.
        kind : {"html", "pdf"}
            The format.

        Returns
        -------
        bytes
            The content.
        """
        return sheet_bytes(self._sheets(plan_id), kind)

    def _sheets(self, plan_id: str | Iterable[str]) -> list[DutySheet]:
        plans = [self.plan(each) for each in ([plan_id] if isinstance(plan_id, str) else plan_id)]
        return [sheet_of(plan, self.settings) for plan in plans]

    def export(self, path: AnyPath, *, overwrite: bool = False, redacted: bool = False) -> None:
        """Write the history as JSON Lines, one event per line.

        Parameters
        ----------
        path : str or path
            The file.
        overwrite : bool
            Replace an earlier file. A database is never replaced.
        redacted : bool
            Leave out the seed. Such a history cannot be replayed.

        Raises
        ------
        FileError
            If the file exists, or cannot be written.
        """
        self._current()  # raises an error for a damaged history
        overwrite, redacted = flag("overwrite", overwrite), flag("redacted", redacted)
        copies.export(self.store, self._number, path, overwrite=overwrite, redacted=redacted)

    @classmethod
    def replay(cls, path: AnyPath, store: AnyPath) -> Self:
        """Make a campaign from an exported history, in another store. It gives the same plans.

        Parameters
        ----------
        path : str or path
            The export.
        store : str or path
            A file, or a postgresql:// URL.

        Returns
        -------
        Campaign
            The campaign.

        Raises
        ------
        HistoryError
            If the export was edited or is incomplete.
        ConflictError
            If the store has a campaign of this name.
        """
        with copies.checked_export(path) as history:
            opened = Store(store, create=True)
            try:
                return cls(opened, opened.adopt([history])[0], names.author(None))
            except BaseException:
                opened.close()
                raise

    def backup(self, path: AnyPath) -> None:
        """Copy the whole store, while it is in use, into a new SQLite file.

        Parameters
        ----------
        path : str or path
            The file, which must not exist.

        Raises
        ------
        FileError
            If the file exists, or cannot be written.
        """
        copies.back_up(self.store, path)

    def verify(self, *, plans: bool = False) -> None:
        """Derive all state from the history again, and compare it with the stored state.

        Parameters
        ----------
        plans : bool
            Also compute the plans again that the installed versions made.

        Raises
        ------
        HistoryError
            If something differs. The message says where.
        """
        with self._lock, self.store.named():
            verify(self.store, self._number, self._known.state)
        if flag("plans", plans):
            verify_plans(self.store, self._number, self._planned_anew)

    def _current(self) -> State:
        """The state that the history implies; of one request, as it was when that first asked for it."""
        with self._lock:
            if self._reading is not None and self._reading.has_state and self._known.state is not None:
                return self._known.state
            return self._newest()

    def _newest(self) -> State:
        """The state that the history implies at this moment."""
        with self._lock:
            state = self._caught_up(lambda after: self.store.events(self._number, after))
            if self._reading is not None:
                self._reading.has_state = True
            return state

    def _event(self, number: int) -> Event:
        return self._events([number])[0]

    def _events(self, numbers: Sequence[int]) -> list[Event]:
        """Events of some numbers, each checked against its predecessor."""
        known = {} if self._reading is None else self._reading.events
        missing = [number for number in numbers if number not in known]
        if missing:
            known |= zip(missing, self.store.some(self._number, missing), strict=True)
        return [known[number] for number in numbers]

    def _with(self, event: Event) -> State:
        """The state with the event that was just appended, or found under its key."""
        state = self._known.state
        if state is not None and state.number + 1 == event.number:
            self._known.state = None  # dropped, in case the event is invalid
            with self.store.named():
                state.apply(event)
            self._known.state = state
            return state
        return self._newest() if state is None or state.number < event.number else state

    def _caught_up(self, read: Read) -> State:
        known = self._known
        state = known.state
        if state is None:
            state = self._from_snapshot() or State()
        known.state = None  # dropped, in case an event below is invalid
        with self.store.named():
            known.state = state.follow(read(state.number))
        return known.state

    def _from_snapshot(self) -> State | None:
        """The state in the last snapshot, if it can be read and belongs to the history."""
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
        """Append an event that `decide` makes from the state at that moment."""
        request = Request.of(self.by, key, name, given)
        with self._lock:
            self._newest()  # the slow part, before the store is locked
            event = self.store.append(
                self._number, request, lambda read: drafted(kind, decide(self._caught_up(read)))
            )
            self._keep_snapshot(self._with(event))
        return event

    def _keep_snapshot(self, state: State) -> None:
        if worth_keeping(state):
            try:
                self.store.keep_snapshot(self._number, packed(state))
            except StoreError:  # a snapshot only makes the next start faster
                return
            state.fresh = 0

    def _change(self, kind: str, name: str, given: Mapping[str, Any], key: Any, decide: Any) -> None:
        """Append a change of settings, if plans can still be made after it."""

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
            if arm.active and settings.control is not None:
                without = settings.with_arm(settings.find(name), active=False)
                refuse_empty_comparison(without, settings.control.plan)
            return {"arm": arm.name}

        self._change(kind, method, {"name": name}, key, decide)

    def _inputs(self, day: Any = None, situation: Any = None, settings: Settings | None = None) -> PlanInputs:
        """The inputs of a plan that is not kept; its situation is the first one of the date by default."""
        with self._lock:
            state = self._current() if settings is None else self._current().under(settings)
            on, situations = state.settings.day(day), state.settings.situations
            number = situations.on(on)[0] if situation is None else situations.find(situation)
            return inputs_of(state, self._event, on, (number, situation is not None))

    def _planned_anew(self, state: State, plan: PlanPayload) -> dict[str, Any]:
        chosen = situation_in(state.settings, plan), plan.stated
        inputs = inputs_of(state, self._event, plan.date, chosen, is_kept=True)
        bounds = inputs.bounds(wishes_in(inputs.settings, plan))
        return planned(inputs, bounds, explore=plan.explore)


def _orders(budget: Any, exclude: Any, require: Any, fix: Any, moves: Any) -> dict[str, Any]:
    """The orders of the day as a plan and its request take them."""
    exclude, require = names_in("exclude", exclude), names_in("require", require)
    return {"budget": budget, "exclude": exclude, "require": require, "fix": fix, "moves": moves}


def _changed(before: Settings, kind: str, payload: Mapping[str, Any]) -> Settings:
    """Apply a change, and check that plans can still be made with the new settings."""
    after = OF_SETTINGS[kind].changed(before, payload).checked()
    check_usable_amounts(after, before)
    check_severities(after, before)
    if after.active:
        check_bounds(after)
    if memory_of(after) > memory_of(before):  # a campaign that is too large may shrink step by step
        refuse_if_too_large(after)
    return after


def campaigns(store: AnyPath) -> tuple[str, ...]:
    """List the campaigns of a store.

    Parameters
    ----------
    store : str or path
        A file, or a postgresql:// URL.

    Returns
    -------
    tuple of str
        Their names.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    with Store(store) as opened:
        return opened.campaigns()


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
