"""Answers that take long to compute, kept until the campaign's next event or its next day.

How a page shows such an answer::

    asked = Question("status", Status, "Computing the status", lambda job: campaign.status(), back=path)
    status = kept_answer(visit, asked)

The first visitor starts the work as a job and waits for a moment. If the answer is not there by then, it is
None; the page then shows what it can, and its line for running jobs leads to the job. The answer is the
result of its job, so that all workers have it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from allotment.errors import ConflictError
from allotment.web.work.jobs import Jobs, Running
from allotment.web.work.plain_records import json_of, record_of

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.web.requests.visits import Visit

IN_MEMORY = 8  # answers that were read last
PATIENCE_SECONDS = 0.6  # before a page is shown without its answer


@dataclass(frozen=True)
class Moment:
    """What an answer depends on beside its arguments: the last event, and the day."""

    event: int
    day: date

    @classmethod
    def of(cls, campaign: "Campaign") -> "Moment":
        """The moment of a campaign now."""
        return cls(campaign.last_event, campaign.day())

    def __str__(self) -> str:
        return f"{self.event} {self.day}"


@dataclass(frozen=True)
class Question:
    """What takes long to compute, for which `arguments`, and the page `back` that shows the answer.

    `record` is the type of the answer.
    """

    kind: str
    record: type
    title: str
    compute: Callable[[Running], Any]
    back: str
    arguments: tuple[str, ...] = ()


class KeptAnswers:
    """The answers that jobs found. Those that were read last are in memory: to read one takes a while."""

    def __init__(self, jobs: Jobs) -> None:
        self._rows = jobs.rows
        self._read: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()

    def find(
        self, visit: "Visit", kind: str, record: type, arguments: tuple[str, ...] | None = None
    ) -> Any | None:
        """The newest answer of a kind that still holds, for all `arguments` or for these."""
        moment = str(Moment.of(visit.campaign))
        wanted = None if arguments is None else repr(arguments)
        job = self._rows.answered(visit.number, kind, moment, wanted)
        if job is None:
            return None
        with self._lock:
            if job.id in self._read:
                self._read.move_to_end(job.id)
                return self._read[job.id]
        text = self._rows.result(job.id)
        return None if text is None else self.remember(job.id, record_of(record, text))

    def remember(self, id: str, answer: Any) -> Any:  # noqa: A002 - as in addresses
        """Keep an answer in memory."""
        with self._lock:
            self._read[id] = answer
            while len(self._read) > IN_MEMORY:
                self._read.popitem(last=False)
        return answer


def start_answer(visit: "Visit", asked: Question) -> Running:
    """Compute an answer as a job, which leads to the page of the question."""
    moment = str(Moment.of(visit.campaign))  # first: an event that comes meanwhile makes the answer old

    def work(running: Running) -> str:
        answer = asked.compute(running)
        running.result = json_of(answer)
        visit.desk.kept.remember(running.id, answer)
        visit.desk.jobs.rows.forget_answers(visit.number, asked.kind, moment)
        return asked.back

    return visit.desk.jobs.start(
        visit, asked.kind, asked.title, work, arguments=asked.arguments, back=asked.back, moment=moment
    )


def kept_answer(visit: "Visit", asked: Question) -> Any:
    """The answer, if it is kept or computed in a moment; None if it is still being computed."""
    known = visit.desk.kept.find(visit, asked.kind, asked.record, asked.arguments)
    if known is None:
        try:
            running = start_answer(visit, asked)
        except ConflictError:  # this person waits for another answer of this kind
            return None
        running.done.wait(PATIENCE_SECONDS)
        if running.error is not None:
            raise running.error
        known = visit.desk.kept.find(visit, asked.kind, asked.record, asked.arguments)
    return known
