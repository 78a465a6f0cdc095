"""What People shows, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from markupsafe import Markup

from allotment.campaign.access.rights import RECORDER, ROLES, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.campaign import Campaign

FIELDS = ("name", "role", "group", "until", "everywhere")
MEANINGS = {
    "viewer": "sees everything and records nothing",
    "recorder": "reports what happened",
    "planner": "does everything",
}


@dataclass(frozen=True)
class Shown:
    """A new secret, shown once: the text of a token, or the address of a link."""

    name: str
    text: str = ""
    address: str = ""
    picture: Markup | None = None


@dataclass(frozen=True)
class Person:
    """Someone who may sign in, or once could."""

    name: str
    role: str
    where: str
    until: date
    state: str
    seen: datetime | None
    may_get_link: bool


@dataclass(frozen=True)
class PeopleView:
    """The whole page."""

    people: tuple[Person, ...]
    former: tuple[Person, ...]
    roles: tuple[tuple[str, str], ...]
    groups: tuple[str, ...]
    typed: Mapping[str, str]
    may_hand_out_all: bool
    timezone: str
    shown: Shown | None = None
    problem: str | None = None


def people_view(
    campaign: Campaign,
    tokens: Tokens,
    rights: Rights,
    *,
    typed: Mapping[str, str] | None = None,
    shown: Shown | None = None,
    problem: str | None = None,
) -> PeopleView:
    """The tokens that someone may hand out and revoke."""
    called, now = tokens.campaign_names(), tokens.clock()
    people = []
    for each in tokens.all():
        if rights.may_hand_out(each.rights):
            state = each.state(now)
            where = "all campaigns" if each.rights.campaign is None else called[each.rights.campaign]
            if each.rights.group:
                where = f"{where}, {each.rights.group}"
            may_get_link = each.rights.role == RECORDER and state == "valid"
            people.append(
                Person(each.name, each.rights.role, where, each.until, state, each.seen, may_get_link)
            )
    return PeopleView(
        people=tuple(each for each in people if each.state == "valid"),
        former=tuple(each for each in people if each.state != "valid"),
        roles=tuple((role, MEANINGS[role]) for role in ROLES),
        groups=tuple(campaign.settings.groups),
        typed=typed or dict.fromkeys(FIELDS, ""),
        may_hand_out_all=rights.is_owner,
        timezone=campaign.settings.timezone,
        shown=shown,
        problem=problem,
    )
