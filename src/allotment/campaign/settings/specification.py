"""Every setting of a campaign, each in one entry: all that the library, commands, API and pages know of it.

A value has one of a few forms, and `values.py` says how a form is read, checked, kept and changed. Commands
read this file before they know what to do, so it loads nothing large.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, TypedDict

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import plain, written
from allotment.campaign.settings import sentences

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings


class Form(Enum):
    """What a value looks like."""

    AMOUNT = auto()  # an exact number
    UNITS = auto()  # a whole number of units
    TEXT = auto()
    NOTE = auto()  # a longer text for people, on one line
    CHOICE = auto()  # one of a few texts
    ZONE = auto()
    POLICY = auto()
    SEED = auto()
    BUDGET = auto()  # an amount, or amounts by situation
    BY_PLACE = auto()  # an amount, or amounts by place
    BOUND = auto()  # the same, also by situation
    GROUPS = auto()
    SHAPES = auto()
    SITUATIONS = auto()
    CALENDAR = auto()
    CONTROL = auto()


class Needed:
    """The default of a setting that every new campaign has to give."""


@dataclass(frozen=True)
class Option:
    """An option of commands."""

    flag: str
    help: str
    metavar: str | None = None
    many: bool = False  # it can be repeated
    tried: bool = False  # `what-if` has it, too

    @property
    def parameter(self) -> str:
        """Its name among the parameters of a command."""
        return self.flag.removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class Field:
    """A field of a page."""

    title: str
    hint: str
    mode: str = "text"
    needed: bool = False
    none: str = "none"  # in words, where the field is empty
    is_long: bool = False  # of several lines, as wide as the form
    new: str | None = None  # its hint on the page of a new campaign; None if that page has no such field


@dataclass(frozen=True)
class OfPlace:
    """How a setting is given for one place: a new place, on the page of a place, or in a table of places."""

    title: str
    hint: str  # `{scale}` stands for the scale
    help: str  # of an option
    columns: str  # words in the names of its column
    default: Any = None  # of a new place
    tried: bool = False  # the page Budget has it, too

    @property
    def is_needed(self) -> bool:
        """Whether a new place has to have it."""
        return self.default is Needed


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting."""

    name: str
    form: Form
    field: str | None = None  # of `Settings`, where it is kept
    of_arm: str | None = None  # the attribute of an arm where it is kept
    default: Any = None
    optional: bool = False  # None is a value: without it
    above: bool = False  # a number above 0, not only at least 0
    changeable: bool = True
    since: int = 1  # the version of events that brought it
    rereads: bool = False  # a change reads all reports again
    of_plans: bool = True  # plans depend on it
    of_usual_plans: bool = True  # also those that are not control rounds
    named_first: bool = False  # other parts of the same change may use what it adds
    check: Callable[[Any], str | None] | None = None  # of a text
    choices: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()  # of `change` and, if `first_options` is None, of `new`
    first_options: tuple[Option, ...] | None = None
    page: Field | None = None
    place: OfPlace | None = None
    label: str = ""
    words: Callable[["Settings"], Any] | None = None  # where settings are listed; None if they leave it out
    meaning: Callable[[Any, Any], str] | None = None  # of a change: settings or arms before and after

    @property
    def is_later(self) -> bool:
        """Whether it came after the first version: events and requests hold it only where it is set."""
        return self.since > 1

    @property
    def new_options(self) -> tuple[Option, ...]:
        """The options of `new`."""
        return self.options if self.first_options is None else self.first_options

    @property
    def new_default(self) -> Any:
        """The value for a new place that does not give it."""
        return None if self.place is None else self.place.default


def _start_of_day(value: Any) -> str:
    return names.clock_time("the start of the day", value)


def _note(value: Any) -> str | None:
    return names.note("the note", value)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="budget",
        form=Form.BUDGET,
        field="budget",
        default=Needed,
        options=(
            Option(
                "--budget",
                "The amount to split in each plan: 6, or weekend=4 in one situation.",
                tried=True,
            ),
        ),
        first_options=(
            Option("--budget", "The amount to split in each plan: 6, or weekday=6,weekend=4 by situation."),
        ),
        page=Field(
            "Budget of a round",
            "All that can be granted in a round. For a single day, give another budget on Today.",
            mode="decimal",
            needed=True,
        ),
        label="budget",
        words=lambda settings: plain(settings.budget),
        meaning=sentences.budget,
    ),
    Setting(
        name="unit",
        form=Form.AMOUNT,
        field="unit",
        default=Needed,
        above=True,
        rereads=True,
        options=(Option("--unit", "The smallest amount worth granting.", tried=True),),
        page=Field("Unit", "The smallest amount worth granting.", mode="decimal", needed=True),
        label="unit",
        words=lambda settings: plain(settings.unit),
        meaning=lambda before, after: (
            f"Plans count in units of {written(after.unit)} (now {written(before.unit)})."
        ),
    ),
    Setting(
        name="scale",
        form=Form.AMOUNT,
        field="scale",
        above=True,
        rereads=True,
        options=(
            Option(
                "--scale",
                'The largest amount the model distinguishes. Defaults to the largest "most".',
                tried=True,
            ),
        ),
        page=Field(
            "Scale",
            "The largest amount that the model distinguishes. No place can get more.",
            mode="decimal",
            needed=True,
        ),
        meaning=lambda before, after: (
            f"The largest amount that the model distinguishes becomes {written(after.scale)} "
            f"(now {written(before.scale)})."
        ),
    ),
    Setting(
        name="most",
        form=Form.BOUND,
        of_arm="most",
        default=Needed,
        options=(
            Option(
                "--most",
                "The largest amount of a place: 3 for all, Dock=3 (repeatable), "
                "Dock=2@night in one situation.",
                many=True,
                tried=True,
            ),
        ),
        first_options=(
            Option(
                "--most",
                "The largest amount of a place: 3 unless the table has it, Dock=3, Dock=2@night in one "
                "situation (repeatable).",
                many=True,
            ),
        ),
        page=Field("Most", "The largest amount that a plan may grant to the place.", needed=True),
        place=OfPlace(
            "Most",
            "The largest amount that a plan may grant here, at most {scale}, the scale.",
            "The largest amount of the added place.",
            "most max maximum maximal höchstens obergrenze",
            default=Needed,
            tried=True,
        ),
        meaning=sentences.most,
    ),
    Setting(
        name="least",
        form=Form.BOUND,
        of_arm="least",
        default=0,
        options=(
            Option(
                "--least",
                "The smallest amount of a place: 1 for all, Dock=1 (repeatable), "
                "Dock=1@night in one situation.",
                many=True,
                tried=True,
            ),
        ),
        page=Field("Least", "The smallest amount that a plan may grant to the place.", needed=True),
        place=OfPlace(
            "Least",
            "The smallest amount. Empty: 0.",
            "The smallest amount of the added place.",
            "least min minimum minimal mindestens untergrenze",
            default=0,
            tried=True,
        ),
        meaning=sentences.least,
    ),
    Setting(
        name="crew",
        form=Form.BY_PLACE,
        of_arm="crew",
        since=2,
        options=(
            Option(
                "--crew",
                "The least amount of a place that gets anything: 2 for all, or Dock=2 (repeatable).",
                many=True,
                tried=True,
            ),
        ),
        first_options=(
            Option("--crew", "The least amount of a place that gets anything, unless the table has it."),
        ),
        page=Field(
            "Crew", "The place gets nothing, or at least this amount. 0 if any amount will do.", needed=True
        ),
        place=OfPlace(
            "Crew",
            "What it gets at least, if it gets anything. Empty: one unit.",
            "The least amount of the added place, if it gets anything.",
            "crew trupp mannschaft besatzung",
            tried=True,
        ),
        meaning=sentences.crew,
    ),
    Setting(
        name="severities",
        form=Form.BY_PLACE,
        of_arm="severity",
        above=True,
        options=(
            Option(
                "--severity",
                "The cost of one loss: 2 for all, or Dock=2 (repeatable).",
                many=True,
                tried=True,
            ),
        ),
        first_options=(),
        page=Field("Severity", "What one loss costs there, compared with others.", needed=True),
        place=OfPlace(
            "Severity",
            "What one loss costs. Empty: 1.",
            "The cost of one loss at the added place.",
            "severity weight schwere gewicht gewichtung",
            default=1,
        ),
        meaning=sentences.severity,
    ),
    Setting(
        name="groups",
        form=Form.GROUPS,
        field="groups",
        of_arm="group",
        options=(
            Option(
                "--group",
                "The least and most of a group: north=2:6 (repeatable).",
                many=True,
                tried=True,
            ),
        ),
        page=Field(
            "Group", "The group that the place belongs to. Empty for none. A new name makes a new group."
        ),
        place=OfPlace(
            "Group",
            "An existing group, a new name, or empty for none.",
            "The group of the added place.",
            "group region gruppe",
        ),
        label="groups",
        words=sentences.groups,
    ),
    Setting(
        name="thresholds",
        form=Form.BY_PLACE,
        of_arm="threshold",
        optional=True,
        above=True,
        options=(
            Option(
                "--threshold",
                "An amount known to cover a place: 3 for all, or Dock=3 (repeatable); Dock= for none.",
                many=True,
                tried=True,
            ),
        ),
        first_options=(),
        page=Field("Threshold", "The amount that is known to cover the place. Empty if it is not known."),
        place=OfPlace(
            "Known threshold",
            "The smallest amount that covers the place, if you know it.",
            "The amount known to cover the added place.",
            "threshold schwelle schwellenwert",
        ),
        meaning=sentences.threshold,
    ),
    Setting(
        name="shapes",
        form=Form.SHAPES,
        of_arm="shape",
        of_plans=False,
        of_usual_plans=False,
        first_options=(Option("--shapes", "Outlines of the places on a map (GeoJSON)."),),
    ),
    Setting(
        name="situations",
        form=Form.SITUATIONS,
        field="situations",
        since=3,
        rereads=True,
        named_first=True,
        options=(Option("--situations", "The names of all situations, in order: weekday,weekend."),),
        label="situations",
        words=lambda settings: ", ".join(settings.situations.names) or None,
    ),
    Setting(
        name="calendar",
        form=Form.CALENDAR,
        optional=True,
        since=3,
        rereads=True,
        named_first=True,
        options=(
            Option(
                "--calendar",
                "The situations of dates (TOML, see below). Without it, a date has all.",
                metavar="FILE",
            ),
        ),
    ),
    Setting(
        name="moves",
        form=Form.UNITS,
        field="moves",
        optional=True,
        since=2,
        options=(
            Option(
                "--moves",
                "The units that places may gain over the previous plan; none for no limit.",
                tried=True,
            ),
        ),
        page=Field(
            "Moves",
            "How many units places may gain over the plan before. Empty for any number.",
            mode="numeric",
            none="any number",
        ),
        label="moves",
        words=lambda settings: None if settings.moves is None else f"at most {settings.moves}",
        meaning=sentences.moves,
    ),
    Setting(
        name="control",
        form=Form.CONTROL,
        field="control",
        optional=True,
        since=4,
        of_usual_plans=False,
        options=(
            Option(
                "--control",
                "Draw this share of rounds as control rounds (0.25 by default); none for no more.",
                metavar="[SHARE]",
            ),
            Option(
                "--control-plan",
                "Compare with this plan: equal, hot-spots, or amounts such as Dock=2,Gate=1.",
                metavar="PLAN",
            ),
        ),
        label="control",
        words=sentences.control,
    ),
    Setting(
        name="half_life",
        form=Form.AMOUNT,
        field="half_life",
        optional=True,
        above=True,
        options=(
            Option("--half-life", "Days after which a report counts half; none for never.", tried=True),
        ),
        page=Field(
            "Half-life in days",
            "After this many days, a report counts half. Empty if it always counts in full.",
            mode="decimal",
        ),
        label="half-life",
        words=lambda settings: "none" if settings.half_life is None else f"{plain(settings.half_life)} days",
        meaning=sentences.half_life,
    ),
    Setting(
        name="timezone",
        form=Form.ZONE,
        field="timezone",
        changeable=False,
        first_options=(
            Option("--timezone", "The time zone of dates: Europe/Vienna. Defaults to this machine's."),
        ),
        page=Field("Time zone", "", new="Of the dates of plans, such as Europe/Vienna."),
        label="time zone",
        words=lambda settings: settings.timezone,
    ),
    Setting(
        name="day_starts",
        form=Form.TEXT,
        field="day_starts",
        optional=True,
        since=2,
        check=_start_of_day,
        options=(
            Option(
                "--day-starts",
                "The time at which a day begins: 06:00. Defaults to midnight.",
                metavar="HH:MM",
            ),
        ),
        page=Field(
            "The day starts at",
            "For night shifts, such as 06:00. Empty for midnight.",
            none="midnight",
            new="For night shifts, such as 06:00. Midnight if empty.",
        ),
        label="day starts",
        words=lambda settings: settings.day_starts,
        meaning=lambda before, after: (
            f"A day begins at {after.day_starts or 'midnight'} (now {before.day_starts or 'midnight'})."
        ),
    ),
    Setting(
        name="note",
        form=Form.NOTE,
        field="note",
        optional=True,
        since=6,
        of_plans=False,
        of_usual_plans=False,
        check=_note,
        options=(Option("--note", "A note on every duty sheet: 'Meet at the east gate'; none for no note."),),
        page=Field(
            "Note on the duty sheet",
            "Every duty sheet and the page Report show it from now on. At most 500 characters.",
            none="no note",
            is_long=True,
        ),
        meaning=sentences.note,
    ),
    Setting(
        name="sees",
        form=Form.CHOICE,
        field="sees",
        default="losses",
        choices=("losses", "finds"),
        changeable=False,
        first_options=(Option("--sees", "Report losses, or finds (prevented incidents)."),),
    ),
    Setting(
        name="losses",
        form=Form.CHOICE,
        field="losses",
        default="binary",
        choices=("binary", "counts"),
        changeable=False,
        first_options=(Option("--losses", "Record binary (yes or no) reports, or counts."),),
        label="reports",
        words=lambda settings: f"{settings.sees}, {'counts' if settings.losses == 'counts' else 'yes or no'}",
    ),
    Setting(
        name="policy",
        form=Form.POLICY,
        field="policy",
        default="any-response",
        changeable=False,
        first_options=(Option("--policy", "The policy, with optional parameters: any-response:draws=1."),),
    ),
    Setting(
        name="seed",
        form=Form.SEED,
        field="seed",
        changeable=False,
        first_options=(Option("--seed", "The seed: same seed, same reports, same plans."),),
    ),
)
CHANGEABLE = tuple(each for each in SETTINGS if each.changeable)
OF_PLACES = tuple(each for each in SETTINGS if each.form in (Form.BOUND, Form.BY_PLACE))
OF_ARMS: Mapping[str, Setting] = {each.of_arm: each for each in SETTINGS if each.of_arm is not None}
# The settings that a form or a table has for one place, by the attribute of an arm.
OF_ONE_PLACE: Mapping[str, OfPlace] = {name: each.place for name, each in OF_ARMS.items() if each.place}
BY_NAME: Mapping[str, Setting] = {each.name: each for each in SETTINGS}
ABOVE = frozenset(name for each in SETTINGS if each.above for name in (each.name, each.of_arm))


class Changes(TypedDict, total=False):
    """What `Campaign.change` takes, for editors and type checkers: an entry for each changeable setting."""

    budget: Any
    unit: Any
    scale: Any
    most: Any
    least: Any
    crew: Any
    severities: Any
    thresholds: Any
    groups: Mapping[str, Any]
    shapes: Any
    situations: Any
    calendar: Mapping[str, Any] | None
    moves: Any
    control: Any
    half_life: Any
    day_starts: str | None
    note: str | None
