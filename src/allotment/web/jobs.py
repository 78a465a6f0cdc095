"""Long work: asks, frontiers, forecasts, imports. The visitor may leave the page meanwhile.

How a route starts long work::

    job = visit.desk.jobs.start(visit, "forecast", "Computing the forecast", work, arguments=("30",))
    return follow(job)

`work` takes the job, calls one method of `Campaign` and returns the address of the page with the result. What
that page needs, it keeps in `job.result`. `follow` waits a moment. If the work is done by then, the browser
goes straight to its result, or to the page of its error; otherwise to the job's page (`pages/waiting`), which
polls, with or without script.

A session has one job of a kind and campaign at a time. The same request again joins the running job; another
request meanwhile is a conflict. A finished job is kept for `KEPT_SECONDS`. Jobs live in this process, in
threads of their own, so that long work never takes the threads that answer pages.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse

from allotment.errors import AllotmentError, ConflictError, NotFoundError
from allotment.interrupts import WORKER

if TYPE_CHECKING:
    from allotment.web.visits import Visit

KEPT_SECONDS = 3600.0
PATIENCE_SECONDS = 1.5  # before the visitor sees the page of the job
COMPILING = "Compiling the planner for this machine (first run only, about 20 s)."


@dataclass
class Job:
    """Work that goes on, or is done, or failed with an error."""

    id: str
    owner: str  # the digest of the session
    campaign: int
    kind: str
    title: str
    arguments: tuple[str, ...]
    back: str  # the page that the work was asked for on
    started: float = field(default_factory=time.monotonic)
    note: str = ""  # why it takes long
    next_path: str | None = None  # set when it is done
    error: Exception | None = None
    result: Any = None
    ended: float | None = None
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def path(self) -> str:
        """The page of the job."""
        return f"/c/{self.campaign}/jobs/{self.id}"

    @property
    def seconds(self) -> int:
        """How long it has taken."""
        return int((self.ended or time.monotonic()) - self.started)


Work = Callable[[Job], str]


class Jobs:
    """The jobs of this process."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(
        self, visit: "Visit", kind: str, title: str, work: Work, *, arguments: tuple[str, ...] = (), back: str
    ) -> Job:
        """Start work in a thread of its own, or join the same work that is going on."""
        owner = visit.session.digest
        with self._lock:
            self._forget_old()
            for each in self._jobs.values():
                if (each.owner, each.campaign, each.kind) == (owner, visit.number, kind) and not each.ended:
                    if each.arguments == arguments:
                        return each
                    wrong = f"you have asked for this before, and it is still being computed: {each.title}"
                    raise ConflictError(wrong, "to wait until it is done", what=kind)
            job = Job(secrets.token_urlsafe(16), owner, visit.number, kind, title, arguments, back)
            self._jobs[job.id] = job
        threading.Thread(target=_run, args=(job, work), name=f"{WORKER}-{kind}", daemon=True).start()
        return job

    def find(self, visit: "Visit", id: str) -> Job:  # noqa: A002 - as in addresses
        """A job of this session."""
        with self._lock:
            found = self._jobs.get(id)
        if found is None or (found.owner, found.campaign) != (visit.session.digest, visit.number):
            raise NotFoundError("this work is no longer known", "to ask for it again", what="job")
        return found

    def running(self, visit: "Visit") -> list[Job]:
        """What this session has going on in a campaign, for a line on its pages."""
        with self._lock:
            return [
                each
                for each in self._jobs.values()
                if (each.owner, each.campaign) == (visit.session.digest, visit.number) and not each.ended
            ]

    def _forget_old(self) -> None:
        before = time.monotonic() - KEPT_SECONDS
        self._jobs = {key: each for key, each in self._jobs.items() if not each.ended or each.ended > before}


def _run(job: Job, work: Work) -> None:
    from allotment.compiling.python_calls import before_compiling

    def say_compiling() -> None:
        job.note = COMPILING

    try:
        with before_compiling(say_compiling):
            job.next_path = work(job)
    except Exception as error:
        job.error = error
        if not isinstance(error, AllotmentError):
            from allotment.web.security.guard import LOG

            LOG.exception("an error in long work (%s)", job.kind)
    finally:
        job.ended = time.monotonic()
        job.done.set()


def follow(job: Job, patience: float = PATIENCE_SECONDS) -> RedirectResponse:
    """Where the browser goes: to the result, if it is there in a moment; otherwise to the job's page."""
    job.done.wait(patience)
    if job.error is not None:
        raise job.error
    return RedirectResponse(job.next_path or job.path, status_code=303)
