"""Budget, to be built: the page names the command that does it now."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.web.rendering import page
from allotment.web.visits import Here

router = APIRouter()


@router.get("/c/{number}/budget")
def budget_page(request: Request, visit: Here) -> Response:
    """The command that does it now."""
    view = {
        "title": "Budget",
        "what": "Show expected losses against budget",
        "command": f"allotment frontier {visit.desk.campaigns.store_name}",
    }
    return page(request, "to_be_built.html", view)
