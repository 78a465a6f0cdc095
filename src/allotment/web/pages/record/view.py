"""What Record and its page to print show, as plain data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from markupsafe import Markup

from allotment.campaign.answers.effect.effect import Effect
from allotment.campaign.answers.frontier import WORTH, Frontier
from allotment.campaign.answers.record_sums import GROUP, KINDS, SITUATION
from allotment.campaign.answers.track_record import FIRST, TrackRecord
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.answer import about, besides
from allotment.errors import AllotmentError, ConflictError, NotFoundError
from allotment.web.charts.comparisons import compared_chart

FindEffect = Callable[[], Effect]
PRINTED = 12  # months on the page to print


@dataclass(frozen=True)
class Numbers:
    """Charts, their table, and sentences."""

    charts: tuple[Markup, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    lead: str  # the first sentence
    sentences: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no round counts yet."""
        return not self.rows


@dataclass(frozen=True)
class EffectView:
    """What plans prevent, compared with control rounds: sentences, and a table of intervals."""

    sentences: tuple[str, ...]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    has_control: bool = False


@dataclass(frozen=True)
class RecordView:
    """The whole page; `record` is None as long as it is being computed."""

    by: str
    choices: tuple[str, ...]
    record: Numbers | None
    effect: EffectView


@dataclass(frozen=True)
class PrintView:
    """The page to print; sections without sentences are left out."""

    campaign: str
    date: date
    record: Numbers | None
    note: str  # which months are shown, if not all
    effect: tuple[str, ...]
    next_unit: tuple[str, ...]
    is_pending: bool  # whether the frontier is still being computed


def record_view(
    campaign: Campaign, by: str, record: TrackRecord | None, effect: FindEffect | None = None
) -> RecordView:
    """The page; where a campaign has no situations or groups, it does not offer them.

    `effect` finds the effect of plans; by default, the campaign does.
    """
    settings = campaign.settings
    absent = {SITUATION} if not settings.situations else set()
    absent |= {GROUP} if not settings.groups else set()
    choices = tuple(each for each in KINDS if each not in absent)
    numbers = None if record is None else record_numbers(record)
    return RecordView(by, choices, numbers, effect_view(campaign, effect))


def print_view(
    campaign: Campaign,
    record: TrackRecord | None,
    frontiers: Sequence[Frontier | None],
    problem: str | None = None,
    effect: FindEffect | None = None,
) -> PrintView:
    """The page to print: the newest months, the effect, and what one unit more or less changes."""
    note, found = "", None
    if record is not None:
        found = record_numbers(record)
        if len(record.parts) > PRINTED:
            newest = record_numbers(replace(record, parts=record.parts[-PRINTED:]))
            found = replace(found, charts=newest.charts, rows=newest.rows)
            note = f"The table shows the newest {PRINTED} of {len(record.parts)} months."
    worth = [about(each.sentences(), WORTH)[0] for each in frontiers if each is not None]
    return PrintView(
        campaign=campaign.name,
        date=campaign.day(),
        record=found,
        note=note,
        effect=effect_view(campaign, effect).sentences,
        next_unit=tuple(worth) if problem is None else (problem,),
        is_pending=problem is None and None in frontiers,
    )


def effect_view(campaign: Campaign, effect: FindEffect | None = None) -> EffectView:
    """The effect of plans against control rounds, or why there is none to show."""
    try:
        found = (effect or campaign.effect)()
    except NotFoundError as error:
        has_control = campaign.settings.control is not None
        return EffectView((_sentence(error),) if has_control else (), has_control=has_control)
    except ConflictError as error:  # too many reports are missing
        return EffectView((_sentence(error),), has_control=True)
    columns, rows = found.table()
    titles = tuple(f"{each[:1].upper()}{each[1:]}" for each in columns)
    return EffectView(tuple(found.sentences()), titles, tuple(map(tuple, rows)), has_control=True)


def _sentence(error: AllotmentError) -> str:
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}."


def record_numbers(record: TrackRecord) -> Numbers:
    """The record as charts, a table and sentences."""
    columns, rows = record.table()
    charts = [compared_chart(panel) for panel in record.panels()] if record.parts else []
    said = record.sentences()
    if note := record.picture_note():
        said.append(note)
    titles = tuple(f"{each[:1].upper()}{each[1:]}" for each in columns)
    return Numbers(
        tuple(charts), titles, tuple(map(tuple, rows)), about(said, FIRST)[0], tuple(besides(said, FIRST))
    )
