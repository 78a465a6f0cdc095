"""History: shows events in words, and sends them as files."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.web.files.downloads import download, write_csv
from allotment.web.pages.history.view import COLUMNS, history_view, rows_of, wanted_in
from allotment.web.rendering.rendering import page
from allotment.web.requests.visits import Here

router = APIRouter()


@router.get("/c/{number}/history")
def history_page(request: Request, visit: Here) -> Response:
    """A page of events, the newest first, filtered by what the address asks for."""
    asked = request.query_params
    turned = asked.get("page", "1")
    view = history_view(visit.campaign, asked, int(turned) if turned.isdecimal() and len(turned) < 10 else 1)
    return page(request, "history/history.html", view, status=200 if view.problem is None else 422)


@router.get("/c/{number}/history/events.csv")
def history_as_table(request: Request, visit: Here) -> Response:
    """The same events as CSV, first to last."""
    campaign = visit.campaign
    rows = rows_of(campaign.history_items(**wanted_in(campaign, request.query_params)))
    name = f"{campaign.name} history.csv"
    return visit.dear.done(lambda: download(lambda path: write_csv(path, COLUMNS, rows), name, "text/csv"))


@router.get("/c/{number}/history/export.jsonl")
def history_as_export(visit: Here) -> Response:
    """The whole history, from which `allotment replay` makes the same campaign if it holds the seed."""
    campaign, redacted = visit.campaign, not visit.session.rights.is_owner
    return visit.dear.done(
        lambda: download(
            lambda path: campaign.export(path, redacted=redacted),
            f"{campaign.name} history.jsonl",
            "application/x-ndjson",
        )
    )
