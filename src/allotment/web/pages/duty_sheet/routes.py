"""The duty sheet of a plan: to look at and print, and as a file.

The sheet is a page of its own, with the style that it also has as a file. Its policy names that style by its
hash, so that nothing else has an effect.
"""

import re

from fastapi import APIRouter
from starlette.responses import Response

from allotment.web.security.headers import OWN_POLICY
from allotment.web.visits import Here, Visit

router = APIRouter()
POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
KINDS = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}


@router.get("/c/{number}/plans/{plan_id}/sheet")
def sheet_page(visit: Here, plan_id: str) -> Response:
    """The sheet, to print it from the browser."""
    content = visit.campaign.sheet_content(plan_id)
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
    content = visit.campaign.sheet_content(plan_id, kind)
    plan = visit.campaign.plan(plan_id)  # its id and date are letters that a header can hold
    name = f"plan-{plan.id}-{plan.date.isoformat()}.{kind}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=KINDS[kind], headers=headers)
