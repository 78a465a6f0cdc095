"""Which rights each page needs. A page that is not listed needs to read, and a form of it to plan."""

import re

from allotment.campaign.access.rights import Rights
from allotment.web.security.guard import SAFE

READ, REPORT, PLAN = "read", "report", "plan"
FORMS_THAT_WRITE_NOTHING = re.compile(r"orders/check|budget/(forecast|what-if)")


def check_page(rights: Rights, method: str, path: str) -> None:
    """Raise an error unless someone may use a page of a campaign; `path` is the part after the campaign's."""
    needed = needed_for(method, path)
    words = {READ: "see this page", REPORT: "report", PLAN: "do this"}
    rights.check(has(rights, needed), words[needed])


def needed_for(method: str, path: str) -> str:
    """What a page needs: to read, to report or to plan."""
    section = path.partition("/")[0]
    if section == "report":
        return REPORT
    if section in ("import", "settings"):
        return PLAN
    return READ if method in SAFE or FORMS_THAT_WRITE_NOTHING.fullmatch(path) else PLAN


def has(rights: Rights, needed: str) -> bool:
    """Whether someone has a right by its name."""
    return bool(getattr(rights, f"may_{needed}"))
