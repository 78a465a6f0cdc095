"""Whether the server runs and can work: for load balancers and those who watch it. They need no token."""

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from allotment.errors import AllotmentError
from allotment.web.requests.visits import desk_of

router = APIRouter()


@router.get("/health")
def health() -> Response:
    """Say that the server runs."""
    return JSONResponse({"status": "running"})


@router.get("/ready")
def ready(request: Request) -> Response:
    """Say whether the store can be read; the reason is for the server's own log."""
    try:
        desk_of(request).campaigns.names()
    except AllotmentError:
        return JSONResponse({"status": "the store cannot be used"}, status_code=503)
    return JSONResponse({"status": "ready"})
