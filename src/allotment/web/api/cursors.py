"""Lists in pages. A cursor holds where the next page begins; callers hand it back as it is."""

import base64
import binascii
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Annotated, Any, NamedTuple

from fastapi import Query

from allotment.campaign.access.sight import allow
from allotment.errors import InputError

MOST = 500
Cursor = Annotated[
    str | None,
    Query(min_length=1, max_length=40, description="`next` of the page before; none for the first."),
]
Limit = Annotated[int, Query(ge=1, le=MOST, description="The largest number of items on a page.")]


class ListPage(NamedTuple):
    """A page of a list, and the cursor of the next one."""

    items: list[Any]
    next: str | None


allow(ListPage, "items next")


def after(cursor: str | None) -> int:
    """The position after which a page begins."""
    if cursor is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii")
        if text.startswith("after ") and text[6:].isdecimal() and len(text) < 20:
            return int(text[6:])
    except (ValueError, binascii.Error):
        pass
    raise InputError.of("cursor", cursor, "`next` of the page before")


def page(items: Iterable[Any], limit: int, position: Callable[[Any], int]) -> ListPage:
    """A page of items that come in the order of their positions."""
    found = list(islice(items, limit + 1))
    shown = found[:limit]
    more = len(found) > limit
    cursor = base64.urlsafe_b64encode(f"after {position(shown[-1])}".encode()).decode() if more else None
    return ListPage(shown, cursor)
