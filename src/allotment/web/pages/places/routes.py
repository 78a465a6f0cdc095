"""Places, to be built: the page names the command that does it now."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.web.rendering import page
from allotment.web.visits import Here

router = APIRouter()


@router.get("/c/{number}/places")
def places_page(request: Request, visit: Here) -> Response:
    """The command that does it now."""
    view = {
        "title": "Places",
        "what": "Show what is known of every place",
        "command": f"allotment status {visit.desk.campaigns.store_name}",
    }
    return page(request, "to_be_built.html", view)
