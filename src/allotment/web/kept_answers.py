"""Answers that take long to compute, kept until the campaign's next event or its next day.

How a page shows such an answer::

    question = Question("status", "Computing the status", lambda job: campaign.status(), back=path)
    status = kept_answer(visit, question)

The first visitor starts the work as a job and waits for a moment. If the answer is not there by then, it is
None; the page then shows what it can, and its line for running jobs leads to the job.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from allotment.errors import ConflictError
from allotment.web.jobs import Job

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.web.visits import Visit

KEPT = 4  # of a campaign and a kind
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


@dataclass(frozen=True)
class Question:
    """What takes long to compute, for which `arguments`, and the page `back` that shows the answer."""

    kind: str
    title: str
    compute: Callable[[Job], Any]
    back: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kept:
    """An answer, and what it was computed for."""

    arguments: tuple[str, ...]
    moment: Moment
    answer: Any


class KeptAnswers:
    """The answers of this process, by campaign and kind, newest last."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], list[Kept]] = {}
        self._lock = threading.Lock()

    def find(self, visit: "Visit", kind: str, arguments: tuple[str, ...] | None = None) -> Kept | None:
        """Find the newest answer of a kind that still holds; with `arguments`, the answer to these."""
        now = Moment.of(visit.campaign)
        with self._lock:
            known = self._kept.get((visit.number, kind), [])
            fresh = [each for each in known if each.moment == now and arguments in (None, each.arguments)]
            return fresh[-1] if fresh else None

    def keep(self, visit: "Visit", kind: str, kept: Kept) -> None:
        """Keep an answer, and let go of those that no longer hold."""
        with self._lock:
            known = self._kept.get((visit.number, kind), [])
            fresh = [
                each for each in known if each.moment == kept.moment and each.arguments != kept.arguments
            ]
            self._kept[visit.number, kind] = [*fresh, kept][-KEPT:]


def start_answer(visit: "Visit", asked: Question) -> Job:
    """Compute an answer as a job, which leads to the page of the question."""

    def work(job: Job) -> str:
        moment = Moment.of(visit.campaign)  # first: an event that comes meanwhile makes the answer old
        visit.desk.kept.keep(visit, asked.kind, Kept(asked.arguments, moment, asked.compute(job)))
        return asked.back

    return visit.desk.jobs.start(
        visit, asked.kind, asked.title, work, arguments=asked.arguments, back=asked.back
    )


def kept_answer(visit: "Visit", asked: Question) -> Any:
    """The answer, if it is kept or computed in a moment; None if it is still being computed."""
    known = visit.desk.kept.find(visit, asked.kind, asked.arguments)
    if known is None:
        try:
            job = start_answer(visit, asked)
        except ConflictError:  # this session waits for another answer of this kind
            return None
        job.done.wait(PATIENCE_SECONDS)
        if job.error is not None:
            raise job.error
        known = visit.desk.kept.find(visit, asked.kind, asked.arguments)
    return None if known is None else known.answer
