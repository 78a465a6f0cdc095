"""The pages of a campaign, in the order of the navigation."""

from typing import NamedTuple


class Section(NamedTuple):
    """A page that the navigation names. Its address is the campaign's path and `path`."""

    title: str
    path: str


SECTIONS = (
    Section("Today", "today"),
    Section("Report", "report"),
    Section("Places", "places"),
    Section("Budget", "budget"),
    Section("History", "history"),
    Section("Import", "import"),
    Section("Settings", "settings"),
)
