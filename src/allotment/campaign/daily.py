"""What is done every day: ask for a plan, tell what happened, take something back, bring a log."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from allotment.campaign.history.events import Draft, Request
from allotment.campaign.history.state import State
from allotment.campaign.history.store.store import Read
from allotment.campaign.logs.import_report import ImportReport, RefusedError
from allotment.campaign.logs.importing import held_against, read_log
from allotment.campaign.logs.log_files import fingerprint
from allotment.campaign.planning.asking import planned
from allotment.campaign.planning.plan import Plan
from allotment.campaign.planning.plan_bounds import Wishes, bounds_of, names_in
from allotment.campaign.planning.plan_inputs import situation_of
from allotment.campaign.planning.queueing import in_turn
from allotment.campaign.questions import Questions
from allotment.campaign.telling import cancelling, report_of, undoing
from allotment.checks import flag
from allotment.files import AnyPath


class _OvertakenError(Exception):
    """Another plan was asked for in the meantime."""


class Daily(Questions):
    """A campaign that is asked and told."""

    def ask(
        self,
        *,
        date: Any = None,
        budget: Any = None,
        exclude: Iterable[str] = (),
        require: Iterable[str] = (),
        fix: Mapping[str, Any] | None = None,
        explore: bool = True,
        key: str | None = None,
    ) -> Plan:
        """The next plan, safe on disk. `explore=False` plans with the mean curves."""
        exclude, require = names_in("exclude", exclude), names_in("require", require)
        given = {"date": date, "budget": budget, "exclude": exclude, "require": require, "fix": fix}
        explore = flag("explore", explore)
        request = Request.of(self.by, key, "ask", {**given, "explore": explore})
        known = self.store.answered(self._number, request)
        if known is not None:
            return self.plan(known.payload["plan"])
        with in_turn(self.store.name, self._number):
            while True:
                with self._lock:  # only while looking: reports never wait for an ask
                    situation = situation_of(self._current(), self.store, self._number, date)
                settings = situation.settings
                wishes = Wishes.of(settings, budget, exclude, require, fix)
                plan = planned(situation, bounds_of(settings, wishes), explore=explore)
                payload = {**plan, "wishes": wishes.to_dict(settings)}

                def decide(read: Read, payload: dict[str, Any] = payload) -> Draft:
                    if len(self._caught_up(read).plans) + 1 != int(payload["plan"]):
                        raise _OvertakenError
                    return Draft("asked", payload)

                try:
                    with self._lock:
                        event = self.store.append(self._number, request, decide)
                        self._keep_snapshot(self._current())
                except _OvertakenError:
                    continue
                return self.plan(event.payload["plan"])

    def tell(
        self,
        plan_id: str,
        losses: Mapping[str, Any],
        *,
        amounts: Mapping[str, Any] | None = None,
        correct: bool = False,
        key: str | None = None,
    ) -> tuple[str, ...]:
        """Report what happened, and what was granted in truth; returns the arms still to be reported.

        `correct` replaces what was told before of the arms that are named; None withdraws an arm's report.
        """
        correct = flag("correct", correct)
        given = {"plan": str(plan_id), "losses": losses, "amounts": amounts, "correct": correct}
        event = self._write(
            "told", "tell", given, key, lambda state: report_of(state, plan_id, losses, amounts, correct)
        )
        return self.plan(event.payload["plan"]).untold

    def undo(self, id: str, *, key: str | None = None) -> None:  # noqa: A002 - the user's word
        """Take back a plan's whole report (the plan's id), or an import (its report's id)."""
        self._write("undone", "undo", {"id": str(id)}, key, lambda state: undoing(state, id))

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
        key: str | None = None,
    ) -> ImportReport:
        """Make evidence of a log: columns date, place, amount, incidents, exposure. All of it, or nothing."""
        given = {"amount": amount, "period": period, "incidents": incidents, "correct": correct}
        dry_run = flag("dry_run", dry_run)
        log = read_log(path, self.settings, **given)
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
