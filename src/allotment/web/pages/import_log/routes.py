"""Import: takes a log, asks how to read it, shows what it would do, and keeps or drops it."""

from collections.abc import Callable

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.campaign.logs.import_report import RefusedError
from allotment.errors import AllotmentError, InputError
from allotment.web.forms import SentForm
from allotment.web.jobs import Job, follow
from allotment.web.pages.import_log.staged_log import StagedLog, imported, looked_again, remember, staged
from allotment.web.pages.import_log.view import (
    UploadView,
    mapping_view,
    report_view,
    sentence_on_page,
)
from allotment.web.rendering import page
from allotment.web.security.sessions import Notice
from allotment.web.stages import SentFile
from allotment.web.visits import Here, Visit

router = APIRouter()
BASE = "/c/{number}/import"


@router.get(BASE)
def import_page(request: Request, visit: Here) -> Response:
    """Send a log, and look back on earlier imports."""
    waiting = visit.desk.stages.waiting(visit, StagedLog)
    view = UploadView(waiting, visit.campaign.imports(), visit.campaign.settings.timezone)
    return page(request, "import_log/upload.html", view)


@router.post(BASE)
def send_log(visit: Here, form: SentForm) -> Response:
    """Take a log, and propose how to read it."""
    upload, back = form.upload("log"), f"{visit.path}/import"
    if upload is None:
        visit.session.tell(Notice("No file was chosen. Choose a log first.", kind="problem"))
        return RedirectResponse(back, status_code=303)
    file, name = SentFile(upload.file), upload.filename or "log.csv"

    def work(job: Job) -> str:
        try:
            stage = staged(visit.campaign, visit.session.digest, visit.number, file, name)
        except AllotmentError as error:
            file.close()
            visit.session.tell(Notice(sentence_on_page(error), kind="problem"))
            return back
        visit.desk.stages.start(stage)
        return _path(visit, stage)

    return _follow(visit, "look", f"Looking at {name[:60]}", work, (form.key,), back)


@router.post(f"{BASE}/undo")
def undo_import(visit: Here, form: SentForm) -> Response:
    """Take back an import."""
    import_id = form.needed("id")
    visit.campaign.undo(import_id, key=form.key)
    visit.session.tell(Notice(f"{import_id} is undone. What it brought no longer counts."))
    return RedirectResponse(f"{visit.path}/import", status_code=303)


@router.get(f"{BASE}/{{stage_id}}")
def mapping_page(request: Request, visit: Here, stage_id: str) -> Response:
    """How the log is to be read."""
    stage = visit.desk.stages.find(visit, stage_id, StagedLog)
    return page(request, "import_log/mapping.html", mapping_view(visit.campaign, stage))


@router.post(f"{BASE}/{{stage_id}}/look")
def look_again(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Look at another sheet, or at a heading in another row."""
    stage = visit.desk.stages.find(visit, stage_id, StagedLog)
    path = _path(visit, stage)

    def work(job: Job) -> str:
        return _said(stage, path, lambda: looked_again(stage, visit.campaign, form))

    return _follow(visit, "look", f"Looking at {stage.name}", work, (form.key,), path)


@router.post(f"{BASE}/{{stage_id}}")
def check_log(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Say what an import would do."""
    stage = visit.desk.stages.find(visit, stage_id, StagedLog)
    path = _path(visit, stage)
    remember(stage, form)

    def work(job: Job) -> str:
        return _said(stage, path, lambda: _reported(stage, visit))

    return _follow(visit, "check", f"Reading {stage.name}", work, (form.key,), path)


@router.get(f"{BASE}/{{stage_id}}/report")
def report_page(request: Request, visit: Here, stage_id: str) -> Response:
    """What an import would do."""
    stage = visit.desk.stages.find(visit, stage_id, StagedLog)
    if stage.report is None:
        return RedirectResponse(_path(visit, stage), status_code=303)
    return page(request, "import_log/report.html", report_view(stage, stage.report))


@router.post(f"{BASE}/{{stage_id}}/keep")
def keep_log(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Import the log, all of it."""
    stage, key = visit.desk.stages.find(visit, stage_id, StagedLog), form.key
    path = _path(visit, stage)

    def keep() -> None:
        if stage.report is None:
            raise InputError("the log was not read as it is now to be read", "to check it first")
        report = imported(stage, visit.campaign, key=key)
        visit.desk.stages.drop(stage)
        words = f"{report.file} is imported: {report.taken} rows, {report.incidents} incidents."
        undo = f"{visit.path}/import/undo"
        visit.session.tell(Notice(words, undo_path=undo, undo_fields={"id": report.id or ""}))

    def work(job: Job) -> str:
        return _said(stage, path, keep, f"{visit.path}/import")

    return _follow(visit, "keep", f"Importing {stage.name}", work, (key,), path)


@router.post(f"{BASE}/{{stage_id}}/drop")
def drop_log(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Forget the log."""
    stage = visit.desk.stages.find(visit, stage_id, StagedLog)
    visit.desk.stages.drop(stage)
    visit.session.tell(Notice(f"{stage.name} is dropped. Nothing was recorded."))
    return RedirectResponse(f"{visit.path}/import", status_code=303)


def _reported(stage: StagedLog, visit: Visit) -> None:
    stage.report = imported(stage, visit.campaign)


def _said(stage: StagedLog, path: str, act: Callable[[], None], done: str | None = None) -> str:
    """Where to go on: to what was done, or to the page that says what is wrong."""
    try:
        act()
    except RefusedError as error:  # something was recorded since the log was checked
        stage.report = error.report
        return f"{path}/report"
    except AllotmentError as error:
        stage.problem = sentence_on_page(error)
        return path
    return done or (path if stage.report is None else f"{path}/report")


def _path(visit: Visit, stage: StagedLog) -> str:
    return f"{visit.path}/import/{stage.id}"


def _follow(
    visit: Visit, kind: str, title: str, work: Callable[[Job], str], arguments: tuple[str, ...], back: str
) -> Response:
    return follow(visit.desk.jobs.start(visit, kind, title, work, arguments=arguments, back=back))
