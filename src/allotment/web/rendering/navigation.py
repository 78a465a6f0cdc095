"""The pages of a campaign, in the order of the navigation."""

from typing import NamedTuple

from allotment.campaign.access.rights import Rights
from allotment.web.security.page_rights import has, needed_for


class Section(NamedTuple):
    """A page that the navigation names. Its address is the campaign's path and `path`."""

    title: str
    path: str


SECTIONS = (
    Section("Today", "today"),
    Section("Report", "report"),
    Section("Places", "places"),
    Section("Budget", "budget"),
    Section("Record", "record"),
    Section("Check", "check"),
    Section("History", "history"),
    Section("Import", "import"),
    Section("Settings", "settings"),
)


def sections_for(rights: Rights) -> tuple[Section, ...]:
    """The pages that someone may see."""
    return tuple(each for each in SECTIONS if has(rights, needed_for("GET", each.path)))
