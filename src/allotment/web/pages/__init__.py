"""The pages. Each is a folder here, found by its name, with all that is its own:

- `routes.py`: `router`. A route checks its input, calls one method of `Campaign`, and renders.
- `view.py`: what the page shows, as plain data made from the library's answers; tested without a browser.
- its templates, and if it needs them a `.css` and a `.js` file.
"""

import importlib
import pkgutil
from collections.abc import Iterator

from fastapi import APIRouter


def routers() -> Iterator[tuple[APIRouter, bool]]:
    """The routes of every page, and whether strangers may use them (`OPEN_TO_STRANGERS`)."""
    for found in pkgutil.iter_modules(__path__):
        routes = importlib.import_module(f"{__name__}.{found.name}.routes")
        yield routes.router, getattr(routes, "OPEN_TO_STRANGERS", False)
