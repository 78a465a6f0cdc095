"""The duty sheet of a plan, and the sheets of all shifts of a day: to look at and print, and as a file.

The sheet is a page of its own, with the style that it also has as a file. Its policy names that style by its
hash, so that nothing else has an effect.
"""

import re

from fastapi import APIRouter
from starlette.responses import Response

from allotment.errors import NotFoundError
from allotment.web.pages.today.view import latest_plans
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.headers import OWN_POLICY

router = APIRouter()
POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
KINDS = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}


@router.get("/c/{number}/plans/{plan_id}/sheet")
def sheet_page(visit: Here, plan_id: str) -> Response:
    """The sheet, to print it from the browser."""
    return _page(visit.dear.content("sheet_content", plan_id=plan_id, kind="html"))


@router.get("/c/{number}/days/{day}/sheet")
def sheets_page(visit: Here, day: str) -> Response:
    """The sheets of all situations of a day, to print them from the browser."""
    return _page(visit.dear.content("sheet_content", plan_id=_plans_of(visit, day), kind="html"))


@router.get("/c/{number}/days/{day}/sheet.pdf")
def sheets_as_pdf(visit: Here, day: str) -> Response:
    """The sheets of all situations of a day as one PDF file."""
    content = visit.dear.content("sheet_content", plan_id=_plans_of(visit, day), kind="pdf")
    return _download(content, f"plans-{visit.campaign.day(day).isoformat()}", "pdf")


def _plans_of(visit: Visit, day: str) -> list[str]:
    found = [plan.id for plan in latest_plans(visit.campaign, visit.campaign.day(day)).values() if plan]
    if not found:
        raise NotFoundError(f"there is no plan for {day}", "the date of a plan", what="date", value=day)
    return found


def _page(content: bytes) -> Response:
    found = POLICY.search(content)
    assert found is not None  # every sheet names its policy
    policy = f"{found[1].decode()}; frame-ancestors 'none'"
    return Response(content, media_type=KINDS["html"], headers={OWN_POLICY.decode(): policy})


@router.get("/c/{number}/plans/{plan_id}/sheet.html")
def sheet_as_html(visit: Here, plan_id: str) -> Response:
    """The sheet as a file of a web page."""
    return _file(visit, plan_id, "html")


@router.get("/c/{number}/plans/{plan_id}/sheet.pdf")
def sheet_as_pdf(visit: Here, plan_id: str) -> Response:
    """The sheet as a PDF file."""
    return _file(visit, plan_id, "pdf")


def _file(visit: Visit, plan_id: str, kind: str) -> Response:
    content = visit.dear.content("sheet_content", plan_id=plan_id, kind=kind)
    plan = visit.campaign.plan(plan_id)  # its id and date are letters that a header can hold
    return _download(content, f"plan-{plan.id}-{plan.date.isoformat()}", kind)


def _download(content: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}.{kind}"'}
    return Response(content, media_type=KINDS[kind], headers=headers)
