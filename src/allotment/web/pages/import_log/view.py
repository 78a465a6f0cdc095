"""What Import shows, as plain data: a log's columns and first rows, its report, and earlier imports."""

from dataclasses import dataclass

from allotment.campaign.answers.history_reader import PastImport
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.answer import besides
from allotment.campaign.forms.names import shown_text
from allotment.campaign.logs.import_report import READ, ImportReport
from allotment.campaign.logs.log_rows import MOST_REFUSED
from allotment.web.pages.import_log.staged_log import SITUATION, StagedLog, columns_of
from allotment.web.requests.problems import sentence_of

ROWS_SHOWN = 5
COLUMNS_SHOWN = 30
CELL = 40  # characters of a cell
# What library sentences say of options, and what this page calls them.
ON_THIS_PAGE = (
    ("--amount (amount=): what was granted then", "“Amount granted”: what was granted then"),
    ("--amount (amount=): what was granted on them", "“Amount granted”: what was granted on them"),
    ("--incidents any (incidents='any') if", "the choice “Any incident is one loss”, if"),
    ("--period FIRST LAST (period=), the days", "the first and the last day"),
    ("the same, or --correct (correct=True)", "the same, or “Replace what is known otherwise”"),
    ("--dates (dates=) with one of dmy, mdy, ymd", "a choice of “Order of dates”"),
)
FIELDS = (
    ("date", "Date", "Or a time. It says on which day a row happened.", True),
    ("place", "Place", "", True),
    ("incidents", "Incidents", "The number of losses in a row; 0 for a quiet row.", True),
    ("amount", "Amount", "What the place was granted. If the log does not say, give it below.", False),
    (
        "exposure",
        "Exposure",
        "The number of rounds that a row stands for; otherwise 1.",
        False,
    ),
    (SITUATION, "Situation", "Such as the shift. If the log does not say, the date of a row does.", False),
)
ORDERS = (
    ("", "As written, if it is clear"),
    ("dmy", "Day, month, year (31/3/2026)"),
    ("mdy", "Month, day, year (3/31/2026)"),
    ("ymd", "Year, month, day (2026/3/31)"),
)


@dataclass(frozen=True)
class UploadView:
    """The first page: send a log, go on with one, look back on earlier ones."""

    waiting: StagedLog | None
    imports: tuple[PastImport, ...]
    timezone: str


@dataclass(frozen=True)
class ColumnField:
    """One of our columns, and the columns of the log to choose from."""

    name: str
    label: str
    hint: str
    is_needed: bool
    choices: tuple[tuple[str, str], ...]
    chosen: str


@dataclass(frozen=True)
class MappingView:
    """The second page: how the log is to be read."""

    stage: StagedLog
    fields: tuple[ColumnField, ...]
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more_columns: int
    uses: dict[str, str]  # what a column of the log is taken for, by its place
    orders: tuple[tuple[str, str], ...]
    sheets: tuple[str, ...]
    is_binary: bool
    day_starts: str | None
    timezone: str


@dataclass(frozen=True)
class ReportView:
    """The third page: what an import would do."""

    stage: StagedLog
    report: ImportReport
    sentences: tuple[str, ...]
    mistakes: tuple[str, ...]  # each once
    refused: tuple[tuple[int, str], ...]
    is_cut: bool  # whether more lines may be wrong
    is_new: bool  # whether there is anything to keep

    @property
    def can_be_kept(self) -> bool:
        """Whether keeping it does something."""
        return self.is_new and not self.refused


def mapping_view(campaign: Campaign, stage: StagedLog) -> MappingView:
    """A log that waits, with what its columns are taken for."""
    settings, look = campaign.settings, stage.look
    choices = tuple((str(at), shown_text(cell)) for at, cell in enumerate(look.heading) if cell)
    fields = [each for each in FIELDS if each[0] in columns_of(settings)]
    uses = {stage.typed[name]: label for name, label, _, _ in fields if stage.typed[name]}
    return MappingView(
        stage=stage,
        fields=tuple(ColumnField(*each, choices, stage.typed[each[0]]) for each in fields),
        heading=_cells(look.heading),
        rows=tuple(_cells(row) for row in look.rows[:ROWS_SHOWN]),
        more_columns=max(0, len(look.heading) - COLUMNS_SHOWN),
        uses=uses,
        orders=ORDERS,
        sheets=look.sheets if len(look.sheets) > 1 else (),
        is_binary=settings.losses == "binary",
        day_starts=settings.day_starts,
        timezone=settings.timezone,
    )


def report_view(stage: StagedLog, report: ImportReport) -> ReportView:
    """What an import would do, in sentences and line by line."""
    return ReportView(
        stage=stage,
        report=report,
        sentences=tuple(map(on_this_page, [*besides(report.what_it_takes(), READ), *report.notes()])),
        mistakes=tuple(map(on_this_page, report.mistakes())),
        refused=tuple((each.line, on_this_page(sentence_of(each.reason))) for each in report.refused),
        is_cut=len(report.refused) == MOST_REFUSED,
        is_new=bool(report.taken or report.replaced),
    )


def on_this_page(sentence: str) -> str:
    """A sentence of the library, with the names that things have on this page."""
    for theirs, ours in ON_THIS_PAGE:
        sentence = sentence.replace(theirs, ours)
    return sentence


def _cells(cells: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(shown_text(cell, CELL) for cell in cells[:COLUMNS_SHOWN])
