"""The program that answers a dear question about a large campaign, in a process of its own (`gate.py`)."""

from pathlib import Path
from typing import Any

from allotment.campaign.access.rights import Rights
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.store.store import Store
from allotment.web.work.gate import content_of
from allotment.web.work.limited import run_here


def main() -> None:
    """Do one job."""
    run_here({"answer": _answer})


def _answer(
    store: str, number: int, rights: dict[str, Any], method: str, arguments: dict[str, Any], made: str
) -> None:
    known = Rights(**rights)
    with Campaign(Store(store), number, known.name) as campaign:
        Path(made).write_bytes(content_of(campaign, known, method, arguments))
