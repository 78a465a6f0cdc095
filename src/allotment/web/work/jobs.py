"""Long work: asks, frontiers, forecasts, imports. The visitor may leave the page meanwhile.

How a route starts long work::

    job = visit.desk.jobs.start(visit, "forecast", "Computing the forecast", work, arguments=("30",))
    return follow(job)

`work` takes the running job, calls one method of `Campaign` and returns the address of the page with the
result. What that page needs, it keeps as JSON in `result`. `follow` waits a moment. If the work is done by
then, the browser goes straight to its result, or to the page of its error; otherwise to the job's page
(`pages/waiting`), which polls, with or without script.

A person has one job of a kind at a time, on all workers together. The same request again joins the running
job; another request meanwhile is a conflict. The work runs in a thread of the worker that was asked, so that
it never takes the threads that answer pages. All workers see how far it is (`job_rows.py`). While it goes on,
its worker says so every few seconds. The work of a worker that says nothing for a minute is lost.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse

from allotment.errors import AllotmentError, ConflictError, NotFoundError
from allotment.system.interrupts import WORKER
from allotment.web.requests.problems import LOG, Problem, problem_of
from allotment.web.work.job_rows import LOST, Job, JobRows, new_id

if TYPE_CHECKING:
    from allotment.web.requests.visits import Visit

PATIENCE_SECONDS = 1.5  # before the visitor sees the page of the job
PULSE_SECONDS = 5.0
COMPILING = "Compiling the planner for this machine (first run only, about 20 s)."


class Running:
    """A job as the worker sees that started or joined it."""

    def __init__(self, job: Job, rows: JobRows) -> None:
        self.job, self._rows = job, rows
        self.done = threading.Event()  # stays unset if another worker does the work
        self.next_path: str | None = None
        self.error: Exception | None = None
        self.result: str | None = None

    @property
    def id(self) -> str:
        """The identifier of the job."""
        return self.job.id

    def say(self, note: str) -> None:
        """Say on the job's page how far it is, or why it takes long."""
        with suppress(AllotmentError):  # the store cannot be used now: the work goes on
            self._rows.change(self.id, note=note)


Work = Callable[[Running], str]


class Jobs:
    """Long work of this worker, and what others say of theirs."""

    def __init__(self, rows: JobRows, described: Callable[[Exception], Problem] = problem_of) -> None:
        self.rows, self._described = rows, described
        self._going: dict[str, Running] = {}
        self._lock = threading.Lock()
        self._pulse: threading.Thread | None = None

    def start(
        self,
        visit: "Visit",
        kind: str,
        title: str,
        work: Work,
        *,
        arguments: tuple[str, ...] = (),
        back: str,
        moment: str = "",
    ) -> Running:
        """Start work in a thread of its own, or join the same work that is going on."""
        wanted = Job(new_id(), visit.session.author, visit.number, kind, title, repr(arguments), back, moment)
        job = self.rows.begin(wanted)
        assert job is not None  # without a queue
        if job.id != wanted.id:
            if not job.asks_the_same_as(wanted):
                wrong = f"you have asked for this before, and it is still being computed: {job.title or kind}"
                raise ConflictError(wrong, "to wait until it is done", what=kind)
            return self._joined(job)
        running = Running(job, self.rows)
        self.watch(running)

        def later(running: Running) -> str:
            visit.campaign.read_anew()  # the request that asked for this may be long over
            return work(running)

        threading.Thread(
            target=self._run, args=(running, later), name=f"{WORKER}-{kind}", daemon=True
        ).start()
        return running

    def find(self, visit: "Visit", id: str) -> Job:  # noqa: A002 - as in addresses
        """A job of this person."""
        found = self.rows.find(id)
        if found is None or (found.person, found.campaign) != (visit.session.author, visit.number):
            raise NotFoundError("this work is no longer known", "to ask for it again", what="job")
        return found

    def running(self, visit: "Visit") -> list[Job]:
        """What this person has going on in a campaign, for a line on its pages."""
        return self.rows.going_on(visit.session.author, visit.number)

    def watch(self, running: Running) -> None:
        """Say every few seconds that a job goes on."""
        with self._lock:
            self._going[running.id] = running
            if self._pulse is None:
                self._pulse = threading.Thread(target=self._beat, name=f"{WORKER}-pulse", daemon=True)
                self._pulse.start()

    def unwatch(self, running: Running) -> None:
        """A job has ended."""
        with self._lock:
            self._going.pop(running.id, None)

    def close(self) -> None:
        """The worker ends: what it has not finished is lost."""
        with self._lock:
            left, self._going = [*self._going], {}
        for id_ in left:
            with suppress(AllotmentError):
                self.rows.end(id_, problem=LOST)

    def _joined(self, job: Job) -> Running:
        with self._lock:
            return self._going.get(job.id) or Running(job, self.rows)

    def _beat(self) -> None:
        while True:
            time.sleep(PULSE_SECONDS)
            with self._lock:
                going = [*self._going]
                if not going:
                    self._pulse = None
                    return
            with suppress(AllotmentError):  # the store may be back for the next beat
                self.rows.still_going(going)

    def _run(self, running: Running, work: Work) -> None:
        from allotment.compiling.python_calls import before_compiling

        next_path: str | None = None
        error: Exception | None = None
        try:
            with before_compiling(lambda: running.say(COMPILING)):
                next_path = work(running)
        except Exception as wrong:
            error = wrong
            if not isinstance(error, AllotmentError):
                LOG.exception("an error in long work (%s)", running.job.kind)
        try:
            if running.id in self._going:  # the worker has not been closed meanwhile
                problem = None if error is None else self._described(error)
                self.rows.end(running.id, next_path=next_path, problem=problem, result=running.result)
        except Exception as wrong:  # nobody would learn how the work ended
            error = error or wrong
            LOG.exception("the end of long work cannot be kept (%s)", running.job.kind)
        finally:  # only now may the visitor go on, and start work of the same kind
            running.next_path, running.error = next_path, error
            running.done.set()
            self.unwatch(running)


def follow(running: Running, patience: float = PATIENCE_SECONDS) -> RedirectResponse:
    """Where the browser goes: to the result, if it is there in a moment; otherwise to the job's page."""
    running.done.wait(patience)
    if running.error is not None:
        raise running.error
    return RedirectResponse(running.next_path or running.job.path, status_code=303)
