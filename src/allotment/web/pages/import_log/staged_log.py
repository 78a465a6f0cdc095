"""A log that was sent: how it is to be read, and what an import of it would do."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from allotment.campaign.campaign import Campaign
from allotment.campaign.logs.import_report import ImportReport
from allotment.campaign.logs.log_format import COLUMNS, LAST_HEADER, LogFormat
from allotment.campaign.logs.log_looks import LogLook, columns_said, recognised
from allotment.campaign.settings.settings import Settings
from allotment.checks import whole
from allotment.errors import InputError
from allotment.web.files.stages import Stage
from allotment.web.files.uploads import look_at_log, plain_table, shown_name
from allotment.web.requests.forms import Form
from allotment.web.requests.visits import Visit
from allotment.web.work.plain_records import json_of, record_of

OPTIONS = ("granted", "first", "last", "dates", "several", "correct")
NOT_IN_LOG = ""  # the choice of no column
SITUATION = "situation"


@dataclass
class StagedLog:
    """A log that waits. `typed` is what the form shows: columns by their place, and the options."""

    name: str
    look: LogLook
    typed: dict[str, str]
    is_known: bool = False  # whether an earlier import says how to read it
    problem: str | None = None
    report: ImportReport | None = None
    id: str = ""


def columns_of(settings: Settings) -> tuple[str, ...]:
    """The columns that a log may have in a campaign."""
    return tuple(each for each in COLUMNS if each != SITUATION or settings.situations)


def staged(visit: Visit, content: bytes, file_name: str) -> StagedLog:
    """A log as it was sent, with a proposal of how to read it. It waits from now on."""
    campaign = visit.campaign
    formats = [each.read_as for each in campaign.log_formats()]
    look = look_at_log(io.BytesIO(content), file_name, formats=formats)
    form = LogFormat() if look.known is None else LogFormat.from_dict(formats[look.known])
    typed = {**dict.fromkeys((*COLUMNS, *OPTIONS), ""), "several": "count", "dates": form.dates or ""}
    typed |= _proposed(campaign, look, form)
    stage = StagedLog(shown_name(file_name), look, typed, is_known=look.known is not None)
    stage.id = visit.desk.stages.start(visit, content, json_of(stage))
    return stage


def found_log(visit: Visit, id: str) -> StagedLog:  # noqa: A002 - as in addresses
    """A log of this session that waits."""
    return _read(visit.desk.stages.find(visit, id))


def waiting_log(visit: Visit) -> StagedLog | None:
    """The log that this session has left waiting."""
    found = visit.desk.stages.waiting(visit)
    return None if found is None else _read(found)


def keep(visit: Visit, stage: StagedLog) -> None:
    """Keep what is by now known of a log."""
    visit.desk.stages.keep(Stage(stage.id, json_of(stage)))


def _read(stage: Stage) -> StagedLog:
    found: StagedLog = record_of(StagedLog, stage.state)
    found.id = stage.id
    return found


def looked_again(stage: StagedLog, visit: Visit, form: Form) -> None:
    """Look at another sheet, or at a heading in another row, and propose its columns."""
    header, sheet = header_in(form), form.text("sheet")
    content = io.BytesIO(visit.desk.stages.content(visit, stage.id))
    look = look_at_log(content, stage.name, header=header, sheet=sheet)
    stage.typed = {**stage.typed, **_proposed(visit.campaign, look, LogFormat())}
    stage.look, stage.problem, stage.report, stage.is_known = look, None, None, False


def remember(stage: StagedLog, form: Form) -> None:
    """Keep what was typed, for the form and for the import."""
    stage.typed, stage.problem, stage.report = _typed(form), None, None


def imported(stage: StagedLog, visit: Visit, *, key: str | None = None) -> ImportReport:
    """Import the log as its form says; without a key, only say what would happen."""
    typed = stage.typed
    look, chosen = stage.look, _chosen(typed)
    columns = columns_said(look, chosen)
    called = [cell.lower() for cell in look.heading]
    for ours in columns_of(visit.campaign.settings):
        if ours not in chosen and ours in called:
            wrong = f"the log has a column named {ours}, and it is not chosen"
            raise InputError(wrong, "to choose it, or another name for it in the file", what="columns")
    missing = [name for name in ("date", "place", "incidents") if name not in chosen]
    if missing:
        raise InputError(f"no column is chosen for {' and '.join(missing)}", "one of the log", what="columns")
    period = tuple(typed[name] for name in ("first", "last"))
    if any(period) and not all(period):
        raise InputError("only one day of the period is given", "both, or none", what="period")
    header = look.header if look.header > 1 else None
    sheet = look.sheet if look.sheets and look.sheet != look.sheets[0] else None
    options: dict[str, Any] = {
        "columns": {ours: theirs for ours, theirs in columns.items() if theirs.lower() != ours} or None,
        "header": header,
        "sheet": sheet,
        "dates": typed["dates"] or None,
        "amount": typed["granted"] or None,
        "period": period if all(period) else None,
        "incidents": typed["several"] or "count",
        "correct": bool(typed["correct"]),
    }
    content = io.BytesIO(visit.desk.stages.content(visit, stage.id))
    with plain_table(content, stage.name, header=header, sheet=sheet) as plain:
        return visit.campaign.import_log(plain, **options, file_name=stage.name, dry_run=key is None, key=key)


def header_in(form: Form) -> int | None:
    """The row of the heading that was typed."""
    text = form.text("header")
    if text is None:
        return None
    row = int(text) if text.isdecimal() and len(text) < 10 else text
    return whole("the row of the heading", row, least=1, most=LAST_HEADER)


def _typed(form: Form) -> dict[str, str]:
    return form.given((*COLUMNS, *OPTIONS))


def _proposed(campaign: Campaign, look: LogLook, form: LogFormat) -> dict[str, str]:
    """Columns by their place in the log: as an earlier import read them, or as they are recognised."""
    found = recognised(look, campaign.settings)
    if form.columns:
        called = [cell.lower() for cell in look.heading]
        said = {ours: called.index(name) for ours, name in form.wanted.items() if name in called}
        found = said
    return {ours: str(found[ours]) if ours in found else NOT_IN_LOG for ours in COLUMNS}


def _chosen(typed: Mapping[str, str]) -> dict[str, int]:
    return {ours: int(typed[ours]) for ours in COLUMNS if typed[ours].isdecimal() and len(typed[ours]) < 6}
