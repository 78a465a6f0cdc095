"""Records: the history, its export, and logs that are imported."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, UploadFile
from starlette.responses import Response

from allotment.campaign.answers.history_reader import HistoryPage
from allotment.campaign.history.event_parts import redacted as redacted_event
from allotment.campaign.history.event_parts import without_control_seed
from allotment.campaign.logs.import_report import ImportReport
from allotment.errors import InputError
from allotment.web.api.answers import FOR_GOOD, as_json, kept_json
from allotment.web.api.bodies import Remark
from allotment.web.api.calls import IdempotencyKey, Plans, Reads, Reports, Situation
from allotment.web.api.cursors import Cursor, Limit, ListPage, after, page
from allotment.web.api.schemas import answers, page_of, problems
from allotment.web.api.turns import turn
from allotment.web.files.downloads import download
from allotment.web.files.uploads import plain_table, shown_name

router = APIRouter(prefix="/campaigns/{campaign}", tags=["records"])
LINES = {"type": "string", "description": "JSON Lines: a heading, then one event a line."}
Typed = Annotated[str | None, Form(max_length=200)]


@router.get("/history", responses=answers(page_of(dict[str, Any])))
def history(call: Reads, cursor: Cursor = None, limit: Limit = 50) -> Response:
    """List events, first to last. The rows of an import are left out: `export` has them.

    Only planners for all campaigns see the seed and the hashes.
    """
    hide = without_control_seed if call.sight.has_seeds else redacted_event
    is_full = call.campaign.last_event > after(cursor) + limit

    def found() -> ListPage:
        events = call.campaign.history_list(after(cursor), limit + 1)
        shown = page(events, limit, lambda event: int(event["number"]))
        return shown._replace(items=[hide(each) for each in shown.items])

    # a full page holds for good, since events are only added
    return kept_json(call, (cursor, limit), found, moment=FOR_GOOD if is_full else None)


@router.get("/history/words", responses=answers(HistoryPage))
def history_in_words(
    call: Reads,
    page: Annotated[int, Query(ge=1, le=10**9)] = 1,
    size: Annotated[int, Query(ge=1, le=200)] = 50,
    first: Annotated[str | None, Query(max_length=40)] = None,
    last: Annotated[str | None, Query(max_length=40)] = None,
    kind: Annotated[str | None, Query(max_length=40)] = None,
    place: Annotated[str | None, Query(max_length=200)] = None,
    by: Annotated[str | None, Query(max_length=200)] = None,
    situation: Situation = None,
) -> Response:
    """List events in words, the newest first, filtered."""
    wanted = {"first": first, "last": last, "kind": kind, "place": place, "by": by}
    wanted |= {"situation": situation}
    return kept_json(
        call,
        (page, size, *wanted.values()),
        lambda: call.campaign.history_page(page, size=size, **wanted),
    )


@router.post("/remarks", status_code=204, responses=problems(409))
def remark(call: Reports, body: Remark, key: IdempotencyKey = None) -> Response:
    """Write a remark about a day into the history."""
    call.campaign.remark(body.text, date=body.date, key=call.key(key))
    return Response(status_code=204)


@router.get("/export", responses=answers(LINES, media_type="application/x-ndjson"))
def export(call: Reads, redacted: bool = False) -> Response:
    """Download the whole history; without the seed if so wished, or unless the caller plans all campaigns."""
    hidden = redacted or not call.sight.has_seeds
    return call.dear.done(
        lambda: download(
            lambda path: call.campaign.export(path, redacted=hidden),
            f"{call.campaign.name} history.jsonl",
            "application/x-ndjson",
        )
    )


@router.post("/imports", responses=answers(ImportReport) | problems(409))
def import_log(
    call: Plans,
    file: UploadFile,
    amount: Typed = None,
    first: Typed = None,
    last: Typed = None,
    incidents: Annotated[Literal["count", "any"], Form()] = "count",
    correct: Annotated[bool, Form()] = False,
    dry_run: Annotated[bool, Form()] = False,
    columns: Annotated[
        str | None, Form(max_length=2000, description="JSON: the log's names by ours.")
    ] = None,
    header: Annotated[int | None, Form(ge=1, le=10**6)] = None,
    sheet: Typed = None,
    dates: Typed = None,
    key: IdempotencyKey = None,
) -> Response:
    """Make evidence of a log, all of it or nothing. A dry run says what would happen."""
    name, named = file.filename or "log.csv", _columns(columns)
    period = None if first is None and last is None else (first, last)
    with (
        turn(call, "import"),
        plain_table(file.file, name, header=header, sheet=sheet) as table,
    ):
        report = call.campaign.import_log(
            table,
            amount=amount,
            period=period,
            incidents=incidents,
            correct=correct,
            dry_run=dry_run,
            columns=named,
            header=header,
            sheet=sheet,
            dates=dates,
            file_name=shown_name(name),
            key=call.key(key),
        )
    return as_json(report)


def _columns(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise InputError.of("columns", text, 'names in the log by ours, such as {"place": "Ort"}')
    return found
