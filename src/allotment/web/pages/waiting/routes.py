"""The page of long work, which polls until the work is done."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from allotment.web.rendering.rendering import page
from allotment.web.requests.visits import Here

router = APIRouter()


@router.get("/c/{number}/jobs/{id}")
def job_page(request: Request, visit: Here, id: str) -> Response:  # noqa: A002 - as in addresses
    """How far the work is. When it is done, the browser goes on to its result."""
    job = visit.desk.jobs.find(visit, id)
    if job.problem is not None:
        view = {"job": job, "problem": job.problem}
        return page(request, "waiting/failed.html", view, status=job.problem.status)
    if job.next_path is not None:
        return RedirectResponse(job.next_path, status_code=303)
    return page(request, "waiting/waiting.html", job)


@router.get("/c/{number}/jobs/{id}/state")
def job_state(visit: Here, id: str) -> Response:  # noqa: A002 - as in addresses
    """The same for the script of the page."""
    job = visit.desk.jobs.find(visit, id)
    content: dict[str, Any] = {"ended": job.ended is not None, "note": job.note, "seconds": job.seconds}
    return JSONResponse(content)
