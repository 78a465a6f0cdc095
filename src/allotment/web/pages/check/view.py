"""What Check shows, as plain data."""

from dataclasses import dataclass

from allotment.campaign.answers.checks.finding import CALENDAR, DRIFT, FIT, Checkup, Finding

TITLES = {
    CALENDAR: "Are weekends like other nights?",
    DRIFT: "Do losses stay as they were?",
    FIT: "Do losses fit the model?",
}
REMEDY_PAGES = {
    CALENDAR: ("settings", "Name situations"),
    DRIFT: ("settings", "Set a half-life"),
    FIT: ("places", "See the places"),
}


@dataclass(frozen=True)
class Card:
    """One check."""

    title: str
    result: str  # the first letter is a capital
    is_raised: bool
    sentence: str
    remedy: str
    link: str
    link_text: str


@dataclass(frozen=True)
class CheckView:
    """The whole page; no cards as long as the checks run."""

    cards: tuple[Card, ...]
    raised: int
    is_done: bool


def check_view(found: Checkup | None, path: str) -> CheckView:
    """The page."""
    if found is None:
        return CheckView((), 0, is_done=False)
    cards = tuple(_card(each, path) for each in found.findings)
    return CheckView(cards, len(found.alarms), is_done=True)


def _card(finding: Finding, path: str) -> Card:
    page, text = REMEDY_PAGES[finding.kind]
    return Card(
        title=TITLES[finding.kind],
        result=finding.result.capitalize(),
        is_raised=finding.is_raised,
        sentence=f"{finding.sentence[:1].upper()}{finding.sentence[1:]}",
        remedy=finding.remedy,
        link=f"{path}/{page}",
        link_text=text,
    )
