"""Whether the server runs and can work: for load balancers and those who watch it. They need no token."""

import functools

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from allotment.errors import AllotmentError
from allotment.web.requests.visits import desk_of

router = APIRouter()


@functools.cache
def _own_thread() -> CapacityLimiter:
    """A thread of the probes alone, so that they never wait for other requests."""
    return CapacityLimiter(1)


@router.get("/health")
async def health() -> Response:
    """Say that the server runs. This needs no thread: all of them may be busy."""
    return JSONResponse({"status": "running"})


@router.get("/ready")
async def ready(request: Request) -> Response:
    """Say whether the store can be read; the reason is for the server's own log."""
    try:
        await to_thread.run_sync(desk_of(request).campaigns.names, limiter=_own_thread())
    except AllotmentError:
        return JSONResponse({"status": "the store cannot be used"}, status_code=503)
    return JSONResponse({"status": "ready"})
