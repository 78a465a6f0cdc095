"""The settings that a campaign begins with."""

import secrets
from decimal import Decimal
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import per_name, units_to_reach
from allotment.campaign.forms.shapes import check_vertices, shapes_by_name
from allotment.campaign.settings.arms import Arm, setting
from allotment.campaign.settings.campaign_policy import POLICY, checked_policy
from allotment.campaign.settings.changes import changed
from allotment.campaign.settings.control import control_given
from allotment.campaign.settings.grouping import arm_names, groups_given
from allotment.campaign.settings.settings import Settings, day_start, moves_setting
from allotment.campaign.settings.situation_bounds import first_bounds, first_budget
from allotment.campaign.settings.situations import Situations
from allotment.checks import one_of, whole
from allotment.errors import InputError
from allotment.worlds.world import KINDS, SEES


def first_settings(
    name: Any,
    *,
    arms: Any,
    budget: Any,
    unit: Any,
    most: Any,
    least: Any = 0,
    severities: Any = None,
    groups: Any = None,
    thresholds: Any = None,
    shapes: Any = None,
    sees: Any = "losses",
    losses: Any = "binary",
    half_life: Any = None,
    scale: Any = None,
    timezone: Any = None,
    policy: Any = POLICY,
    seed: Any = None,
    day_starts: Any = None,
    crew: Any = None,
    moves: Any = None,
    situations: Any = None,
    calendar: Any = None,
    control: Any = None,
) -> Settings:
    """The settings that a campaign begins with."""
    called = arm_names(arms)
    unit = setting("unit", unit)
    several = Situations()
    if situations is not None:
        several = several.with_names(several.listed(situations))
    several.check_apart(called.__contains__)  # first: a bound of the place would be read as the situation's
    several = several.with_calendar(calendar)
    caps, own_caps = first_bounds("most", most, called, several, None)
    for each in called:
        if each not in caps:
            raise InputError(
                f"the most of {each!r} is missing",
                "the largest amount that it can use",
                what="most",
                value=each,
            )
    floors, own_floors = first_bounds("least", least, called, several, Decimal(0))
    one_budget, own_budgets = first_budget(budget, several)
    costs = per_name("severities", severities, called, Decimal(1), above=True)
    known = per_name("thresholds", thresholds, called, None, above=True)
    crews = per_name("crew", crew, called, Decimal(0))
    outlines = shapes_by_name(shapes, called)
    check_vertices(outlines.values())
    if scale is None:
        largest = max(
            [*caps.values(), *(Decimal(each) for own in own_caps.values() for each in own.values())]
        )
        reach = max(units_to_reach(largest, unit), 1) * unit
    else:
        reach = setting("scale", scale)
    begun = Settings(
        name=names.name("the campaign's name", name),
        arms=tuple(
            Arm(
                each,
                caps[each],
                floors[each],
                costs[each],
                None,
                known.get(each),
                outlines.get(each),
                crew=crews[each],
            )
            for each in called
        ),
        budget=one_budget,
        unit=unit,
        scale=reach,
        groups={},
        sees=one_of("sees", sees, SEES),
        losses=one_of("losses", losses, KINDS),
        half_life=None if half_life is None else setting("half_life", half_life),
        timezone=names.timezone(timezone),
        policy=checked_policy(policy),
        seed=secrets.randbits(53) if seed is None else whole("seed", seed, least=0),
        aliases={each: number for number, each in enumerate(called)},
        day_starts=day_start(day_starts),
        moves=moves_setting(moves),
        situations=several,
    )
    further: dict[str, Any] = {"budget": own_budgets, "most": own_caps, "least": own_floors}
    further["groups"] = {} if groups is None else groups_given(groups, begun)
    further["control"] = control_given(begun, control)
    return changed(begun, {what: value for what, value in further.items() if value}).checked()


def check_usable(settings: Settings) -> None:
    """Raise an error if this machine cannot plan with stored settings: it may know fewer time zones."""
    names.timezone(settings.timezone)
    checked_policy(settings.policy)
