"""Import: takes a log, asks how to read it, shows what it would do, and keeps or drops it."""

from collections.abc import Callable

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.campaign.logs.import_report import RefusedError
from allotment.errors import AllotmentError, InputError
from allotment.web.files.uploads import shown_name
from allotment.web.pages.import_log.staged_log import (
    StagedLog,
    found_log,
    imported,
    keep,
    looked_again,
    remember,
    staged,
    waiting_log,
)
from allotment.web.pages.import_log.view import (
    UploadView,
    mapping_view,
    on_this_page,
    report_view,
)
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice
from allotment.web.work.jobs import Running, follow

router = APIRouter()
BASE = "/c/{number}/import"


@router.get(BASE)
def import_page(request: Request, visit: Here) -> Response:
    """Send a log, and look back on earlier imports."""
    view = UploadView(waiting_log(visit), visit.campaign.imports(), visit.campaign.settings.timezone)
    return page(request, "import_log/upload.html", view)


@router.post(BASE)
def send_log(visit: Here, form: SentForm) -> Response:
    """Take a log, and propose how to read it."""
    upload, back = form.upload("log"), f"{visit.path}/import"
    if upload is None:
        visit.session.tell(Notice("No file was chosen. Choose a log first.", kind="problem"))
        return RedirectResponse(back, status_code=303)
    content, name = upload.file.read(), upload.filename or "log.csv"

    def work(running: Running) -> str:
        try:
            return _path(visit, staged(visit, content, name))
        except AllotmentError as error:
            visit.session.tell(Notice(_sentence(visit, error), kind="problem"))
            return back

    return _follow(visit, f"Looking at {shown_name(name)}", work, form.key, back)


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
    stage = found_log(visit, stage_id)
    return page(request, "import_log/mapping.html", mapping_view(visit.campaign, stage))


@router.post(f"{BASE}/{{stage_id}}/look")
def look_again(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Look at another sheet, or at a heading in another row."""
    stage = found_log(visit, stage_id)

    def work(running: Running) -> str:
        return _said(visit, stage, lambda: looked_again(stage, visit, form))

    return _follow(visit, f"Looking at {stage.name}", work, form.key, _path(visit, stage))


@router.post(f"{BASE}/{{stage_id}}")
def check_log(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Say what an import would do."""
    stage = found_log(visit, stage_id)

    def work(running: Running) -> str:
        remember(stage, form)  # here: the same form sent twice must not wipe out what the work found
        keep(visit, stage)
        return _said(visit, stage, lambda: _reported(stage, visit))

    return _follow(visit, f"Reading {stage.name}", work, form.key, _path(visit, stage))


@router.get(f"{BASE}/{{stage_id}}/report")
def report_page(request: Request, visit: Here, stage_id: str) -> Response:
    """What an import would do."""
    stage = found_log(visit, stage_id)
    if stage.report is None:
        return RedirectResponse(_path(visit, stage), status_code=303)
    return page(request, "import_log/report.html", report_view(stage, stage.report))


@router.post(f"{BASE}/{{stage_id}}/keep")
def keep_log(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Import the log, all of it."""
    stage, key = found_log(visit, stage_id), form.key

    def keep_all() -> None:
        if stage.report is None:
            raise InputError("the log was not read as it is now to be read", "to check it first")
        report = imported(stage, visit, key=key)
        visit.desk.stages.drop(stage.id)
        words = f"{report.file} is imported: {report.taken} rows, {report.incidents} incidents."
        undo = f"{visit.path}/import/undo"
        visit.session.tell(Notice(words, undo_path=undo, undo_fields={"id": report.id or ""}))

    def work(running: Running) -> str:
        return _said(visit, stage, keep_all, f"{visit.path}/import")

    return _follow(visit, f"Importing {stage.name}", work, key, _path(visit, stage))


@router.post(f"{BASE}/{{stage_id}}/drop")
def drop_log(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Forget the log."""
    stage = found_log(visit, stage_id)
    visit.desk.stages.drop(stage.id)
    visit.session.tell(Notice(f"{stage.name} is dropped. Nothing was recorded."))
    return RedirectResponse(f"{visit.path}/import", status_code=303)


def _reported(stage: StagedLog, visit: Visit) -> None:
    stage.report = imported(stage, visit)


def _said(visit: Visit, stage: StagedLog, act: Callable[[], None], done: str | None = None) -> str:
    """Where to go on: to what was done, or to the page that says what is wrong."""
    path = _path(visit, stage)
    try:
        act()
    except RefusedError as error:  # something was recorded since the log was checked
        stage.report, done = error.report, None
    except AllotmentError as error:
        stage.problem, stage.report, done = _sentence(visit, error), None, path
    keep(visit, stage)
    return done or (path if stage.report is None else f"{path}/report")


def _sentence(visit: Visit, error: AllotmentError) -> str:
    return on_this_page(visit.desk.problem_of(error).sentence)


def _path(visit: Visit, stage: StagedLog) -> str:
    return f"{visit.path}/import/{stage.id}"


def _follow(visit: Visit, title: str, work: Callable[[Running], str], key: str, back: str) -> Response:
    return follow(visit.desk.jobs.start(visit, "import", title, work, arguments=(key,), back=back))
