"""Import, to be built: the page names the command that does it now."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.web.rendering import page
from allotment.web.visits import Here

router = APIRouter()


@router.get("/c/{number}/import")
def import_page(request: Request, visit: Here) -> Response:
    """The command that does it now."""
    view = {
        "title": "Import",
        "what": "Start from the log that you have",
        "command": f"allotment import {visit.desk.campaigns.store_name}",
    }
    return page(request, "to_be_built.html", view)
