"""The stylesheet, the scripts and the icon, all from files of the package and held in memory.

The stylesheet is one file for browsers: the parts in `static/style/`, in the order of their names, and then
the `.css` file of each page. Scripts are modules: those in `static/script/`, and the `.js` file of each page.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

HERE = Path(__file__).parents[1]
STYLE = "style.css"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
router = APIRouter()


class Asset(NamedTuple):
    """What a browser loads beside a page."""

    content: bytes
    kind: str


@cache
def _assets() -> dict[str, Asset]:
    parts = [*sorted((HERE / "static" / "style").glob("*.css")), *sorted((HERE / "pages").glob("*/*.css"))]
    files = [*(HERE / "static" / "script").glob("*.js"), *(HERE / "pages").glob("*/*.js")]
    files += (HERE / "static").glob("*.svg")
    found = {STYLE: Asset(b"\n".join(each.read_bytes() for each in parts), KINDS[".css"])}
    for each in files:
        if each.name in found:
            raise ValueError(f"two files are named {each.name}")
        found[each.name] = Asset(each.read_bytes(), KINDS[each.suffix])
    return found


def asset_path(name: str) -> str:
    """The address of an asset, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(_assets()[name].content).hexdigest()[:12]}"


@router.get("/static/{name}")
def static(name: str) -> Response:
    """One of the files, by its name; nothing else is looked up."""
    found = _assets().get(name)
    if found is None:
        raise HTTPException(404)
    return Response(found.content, media_type=found.kind)
