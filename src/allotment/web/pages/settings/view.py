"""What Settings shows, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from markupsafe import Markup

from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.shapes import vertices_in
from allotment.campaign.settings.specification import Field, Setting
from allotment.web.charts.outlines import places_on_a_map
from allotment.web.pages.settings.control_forms import ControlForm, shown_control
from allotment.web.pages.settings.forms import (
    OF_CAMPAIGN,
    TABLES,
    group_fields,
    place_fields,
    shown_limits,
    shown_of_place,
    shown_settings,
)
from allotment.web.pages.settings.situation_forms import SituationsForm, shown_situations
from allotment.web.requests.situation_choice import NO_SITUATIONS, SituationChoice, settings_within
from allotment.web.security.sessions import Session


@dataclass(frozen=True)
class GroupLine:
    """A group with its limits."""

    name: str
    places: int
    least: str
    most: str


@dataclass(frozen=True)
class SessionLine:
    """A browser that is signed in to this server."""

    handle: str
    author: str
    browser: str
    started: datetime
    seen: datetime
    is_this_one: bool


@dataclass(frozen=True)
class SettingsView:
    """The whole page. `typed` is what the form of the campaign shows."""

    typed: dict[str, str]
    seen: dict[str, str]  # the values of that form as they are
    seen_limits: dict[str, str]  # the values of the form of groups
    fields: tuple[tuple[str, Field], ...]  # of that form
    situations: SituationsForm
    control: ControlForm | None  # None: the campaign records finds, and control rounds compare losses
    limits: dict[str, str]  # of groups, as they were typed
    facts: tuple[tuple[str, str], ...]
    groups: tuple[GroupLine, ...]
    tables: dict[str, str]  # titles
    outlined: int
    places: int
    vertices: int
    map: Markup | None
    sessions: tuple[SessionLine, ...]
    timezone: str
    problems: Mapping[str, str] = field(default_factory=dict)  # by the part of the page


@dataclass(frozen=True)
class TableView:
    """One setting of all places."""

    what: str
    situations: SituationChoice  # of settings that may differ by situation
    title: str
    hint: str
    rows: tuple[tuple[str, str], ...]  # a place, and its value
    same: str
    groups: tuple[str, ...]
    tables: dict[str, str]  # titles
    problem: str | None = None
    seen: Mapping[str, str] = field(default_factory=dict)  # the values as they are, by field


def settings_view(
    campaign: Campaign,
    sessions: list[Session],
    here: Session,
    *,
    typed: dict[str, str] | None = None,
    situations: SituationsForm | None = None,
    control: ControlForm | None = None,
    limits: dict[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
) -> SettingsView:
    """All settings that can be changed, and those that cannot."""
    settings = campaign.settings
    limits, members, shown = limits or {}, settings.members(), shown_settings(settings)
    groups = tuple(
        GroupLine(
            name,
            len(members[name]),
            limits.get(f"least:{name}", least),
            limits.get(f"most:{name}", most),
        )
        for name, (least, most) in shown_limits(settings).items()
    )
    shapes = {arm.name: arm.shape for arm in settings.arms if arm.shape is not None}
    return SettingsView(
        typed=typed or shown,
        seen=shown,
        seen_limits=group_fields(settings),
        fields=tuple(
            (each.name, _field(each)) for each in OF_CAMPAIGN if each.name in shown_settings(settings)
        ),
        situations=situations or shown_situations(settings),
        control=None if settings.sees == "finds" else control or shown_control(settings),
        limits=limits,
        facts=(
            ("Name", campaign.name),
            ("Time zone", settings.timezone),
            ("Reports are", _reports(settings.sees, settings.losses)),
            ("Planner", settings.policy),
        ),
        groups=groups,
        tables=_titles(),
        outlined=len(shapes),
        places=len(settings.active),
        vertices=vertices_in(shapes.values()),
        map=places_on_a_map(shapes),
        sessions=tuple(_session(each, here) for each in sessions),
        timezone=settings.timezone,
        problems=problems or {},
    )


def table_view(
    campaign: Campaign,
    what: str,
    choice: SituationChoice = NO_SITUATIONS,
    *,
    typed: Mapping[str, str] | None = None,
    same: str = "",
    problem: str | None = None,
) -> TableView:
    """One setting of all active places, for all situations or in one."""
    settings, typed = settings_within(campaign.settings, choice.chosen), typed or {}
    rows = [(arm.name, typed.get(arm.name, shown_of_place(arm, what))) for arm in settings.arms if arm.active]
    page, groups = _field(TABLES[what]), tuple(settings.groups)
    seen = place_fields(campaign.settings, what, choice.chosen)
    return TableView(what, choice, page.title, page.hint, tuple(rows), same, groups, _titles(), problem, seen)


def _titles() -> dict[str, str]:
    return {name: _field(each).title for name, each in TABLES.items()}


def _field(about: Setting) -> Field:
    assert about.page is not None
    return about.page


def _reports(sees: str, losses: str) -> str:
    kind = "yes or no" if losses == "binary" else "counts"
    return f"{kind}, of {'losses' if sees == 'losses' else 'finds (what was prevented)'}"


def _session(session: Session, here: Session) -> SessionLine:
    return SessionLine(
        handle=session.handle,
        author=session.author,
        browser=session.browser or "A browser",
        started=datetime.fromtimestamp(session.started, UTC),
        seen=datetime.fromtimestamp(session.seen, UTC),
        is_this_one=session.digest == here.digest,
    )
