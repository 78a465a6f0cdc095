"""The situation that a page shows, where a campaign has several."""

from dataclasses import dataclass

from allotment.campaign.campaign import Campaign
from allotment.campaign.settings.settings import Settings


@dataclass(frozen=True)
class SituationChoice:
    """All situations, and the chosen situation; neither if the campaign has no situations."""

    names: tuple[str, ...] = ()
    chosen: str | None = None


NO_SITUATIONS = SituationChoice()


def situation_choice(campaign: Campaign, asked: str | None = None) -> SituationChoice:
    """The situation that an address or a form names; otherwise the first one of today."""
    situations = campaign.settings.situations
    if asked:
        return SituationChoice(situations.names, situations.name(situations.find(asked)))
    today = campaign.situations_on()
    return SituationChoice(situations.names, today[0] if today else None)


def settings_within(settings: Settings, situation: str | None) -> Settings:
    """The settings with the bounds of a situation; as they are if there is none."""
    return settings if situation is None else settings.within(settings.situations.find(situation))
