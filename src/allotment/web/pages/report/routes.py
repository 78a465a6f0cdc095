"""Report: what happened at each place. Each tap is one report under a key of its own."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from allotment.campaign.access.sight import seen_by
from allotment.errors import AllotmentError, ConflictError, InputError
from allotment.web.pages.report.entries import AMOUNT, MORE, OTHERS, TYPED, Entry, Tap, is_overtaken, named
from allotment.web.pages.report.view import (
    Choices,
    Row,
    Words,
    choices_of,
    overtaken_by,
    report_view,
    row_at,
    rows_of,
)
from allotment.web.rendering.rendering import day_in_words, page
from allotment.web.requests.forms import SentForm, key_of
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice

router = APIRouter()
TEMPLATE = "report/report.html"


@router.get("/c/{number}/report")
def report(request: Request, visit: Here, date: str | None = None) -> Response:
    """The only plan that awaits reports, or the choice of several."""
    try:
        found = choices_of(visit.campaign, date or None)
    except AllotmentError as error:
        wrong = visit.desk.problem_of(error).sentence
        return _choose(request, visit, choices_of(visit.campaign), wrong, date)
    if len(found.recent) == 1:
        return _page(request, visit, found.recent[0].plan.id)
    return _choose(request, visit, found)


@router.get("/c/{number}/report/{plan_id}")
def report_of_plan(request: Request, visit: Here, plan_id: str, open: int | None = None) -> Response:  # noqa: A002 - as in addresses
    """The report of a plan; `open` is the place whose panel is open, for browsers without script."""
    return _page(request, visit, plan_id, open_index=open)


@router.post("/c/{number}/report/{plan_id}")
def report_one(request: Request, visit: Here, plan_id: str, form: SentForm) -> Response:
    """A tap in a browser without script."""
    path, pressed = f"{visit.path}/report/{plan_id}", form.needed("tap")
    if pressed == OTHERS:
        return _confirm(request, visit, plan_id)
    tap = Tap.of(pressed)
    if tap.what in (MORE, AMOUNT):
        return RedirectResponse(f"{path}?open={tap.index}#place-{tap.index}", status_code=303)
    row = row_at(visit.campaign, plan_id, tap.index, visit.session.rights)
    entry = tap.entry(row.place, form)
    back = RedirectResponse(f"{path}#place-{tap.index}", status_code=303)
    if entry is None or (entry.says_losses and entry.losses is None and not row.event):
        return back  # there is nothing to report or to withdraw
    try:
        entry.tell(visit.campaign, plan_id, tap.key(form, entry), visit.session.rights)
    except AllotmentError as error:
        return _refused(request, visit, plan_id, entry, tap, error)
    now = row_at(visit.campaign, plan_id, tap.index, visit.session.rights)
    said = f"{row.place}: {Words.of(visit.campaign.settings).said(now.losses)}. {now.saved}."
    visit.session.tell(Notice(said, undo_path=path, undo_fields=_undo_fields(row, now)))
    return back


@router.post("/c/{number}/report/{plan_id}/others")
def report_others(visit: Here, plan_id: str, form: SentForm) -> Response:
    """All others quiet, once it was confirmed in a browser without script."""
    places = named(form.texts("place"))
    entry = Entry(places, 0, keep=True)
    entry.tell(visit.campaign, plan_id, key_of(form.key, places), visit.session.rights)
    many = f"{len(places)} {'place' if len(places) == 1 else 'places'}"
    visit.session.tell(Notice(f"{many} reported as {Words.of(visit.campaign.settings).quiet.lower()}."))
    return RedirectResponse(f"{visit.path}/report/{plan_id}", status_code=303)


@router.post("/c/{number}/report/{plan_id}/remark")
def remark(request: Request, visit: Here, plan_id: str, form: SentForm) -> Response:
    """A remark about the day of a plan."""
    day = visit.campaign.plan(plan_id).date
    try:
        visit.campaign.remark(form.text("remark") or "", date=day.isoformat(), key=form.key)
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        typed = form.given(("remark",))["remark"]
        return _page(
            request, visit, plan_id, status=problem.status, remark=typed, remark_problem=problem.sentence
        )
    visit.session.tell(Notice(f"The remark about {day_in_words(day)} is kept."))
    return RedirectResponse(f"{visit.path}/report/{plan_id}", status_code=303)


@router.post("/c/{number}/report/{plan_id}/entries")
def report_entry(visit: Here, plan_id: str, form: SentForm) -> Response:
    """A tap that the script of the page sends, and sends again until it is answered.

    A refusal is an answer, too (`taken` is false), so that browsers do not note it as an error.
    """
    entry = Entry(())
    try:
        entry = Entry.in_form(form)
        if not entry.places:
            raise InputError("no place is named", "at least one", what="place")
        entry.tell(visit.campaign, plan_id, form.key, visit.session.rights)
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        if problem.status >= 500:
            return JSONResponse({"sentence": problem.sentence}, status_code=problem.status)
        said: dict[str, Any] = {"taken": False, "sentence": problem.sentence}
        if isinstance(error, ConflictError) and error.what == "losses":
            said |= _rows(visit, plan_id, entry, form.key)
            if is_overtaken(error, entry):
                said |= _overtaken(visit, plan_id, entry)
        return JSONResponse(said)
    return JSONResponse({"taken": True, **_rows(visit, plan_id, entry, form.key)})


def _undo_fields(before: Row, now: Row) -> dict[str, str]:
    """What a button posts to bring back what was reported before."""
    if before.losses is None:
        return {"tap": f"{now.index}::{now.event}"}
    typed = {MORE: str(before.losses), AMOUNT: str(before.amount)}
    return {"tap": f"{now.index}:{TYPED}:{now.event}", **typed}


def _rows(visit: Visit, plan_id: str, entry: Entry, key: str) -> dict[str, Any]:
    """The places of an entry as they are now; `mine` are the places whose latest report is this entry."""
    report = visit.campaign.report(plan_id)
    rows = rows_of(report, visit.campaign.settings, visit.session.rights, entry.places)
    seen = seen_by(visit.session.rights).of(report, visit.campaign.settings)
    mine = [each.place for each in seen.places if each.key == key]
    return {"rows": [asdict(each) for each in rows], "mine": mine}


def _overtaken(visit: Visit, plan_id: str, entry: Entry) -> dict[str, Any]:
    rows = rows_of(
        visit.campaign.report(plan_id), visit.campaign.settings, visit.session.rights, entry.places
    )
    words = Words.of(visit.campaign.settings)
    return {"overtaken": asdict(overtaken_by(rows[0], entry, words))} if len(rows) == 1 else {}


def _page(request: Request, visit: Visit, plan_id: str, *, status: int = 200, **shown: Any) -> Response:
    view = report_view(visit.campaign, plan_id, visit.session.rights, **shown)
    return page(request, TEMPLATE, view, status=status)


def _refused(
    request: Request, visit: Visit, plan_id: str, entry: Entry, tap: Tap, error: AllotmentError
) -> Response:
    """The page again: with both values if someone else reported the place, or with what is wrong."""
    problem = visit.desk.problem_of(error)
    if isinstance(error, ConflictError) and is_overtaken(error, entry):
        row = row_at(visit.campaign, plan_id, tap.index, visit.session.rights)
        shown: dict[str, Any] = {
            "overtaken": overtaken_by(row, entry, Words.of(visit.campaign.settings)),
            "open_index": tap.index if entry.amount is not None else None,
        }
    else:
        shown = {"problem": problem.sentence, "open_index": tap.index}
    typed = ("" if entry.losses is None else str(entry.losses), entry.amount or "")
    return _page(request, visit, plan_id, status=problem.status, typed=typed, **shown)


def _choose(
    request: Request, visit: Visit, found: Choices, problem: str = "", typed: str | None = None
) -> Response:
    """Which plan to report."""
    view = {
        "choices": found,
        "problem": problem,
        "typed": typed or "",
        "has_plans": visit.campaign.latest() is not None,
        "identity": visit.campaign.identity,
    }
    return page(request, "report/choose.html", view)


def _confirm(request: Request, visit: Visit, plan_id: str) -> Response:
    """Which places are about to be reported as quiet."""
    report, settings = visit.campaign.report(plan_id), visit.campaign.settings
    rows = rows_of(report, settings, visit.session.rights)
    missing = [each.place for each in rows if each.losses is None]
    view = {"plan_id": plan_id, "day": report.date, "situation": report.situation, "places": missing}
    view["words"] = Words.of(visit.campaign.settings)
    return page(request, "report/confirm.html", view)
