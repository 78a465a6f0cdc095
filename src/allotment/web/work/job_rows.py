"""Long work as all workers see it: a row for each job."""

import json
import secrets
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, insert, select, update

from allotment.campaign.history.store.tables import jobs
from allotment.web.requests.problems import Problem
from allotment.web.security.sessions import Clock
from allotment.web.work.work_tables import WorkTables, alone

KEPT_SECONDS = 3600.0  # of a job that has ended
LOST_SECONDS = 60.0  # without a sign of its worker, or with one from a future that the clock took back
LOST = Problem.of(503, "The server was stopped in the middle of this work. Ask for it again.")
BRIEF = [column for column in jobs.columns if column.name != "result"]  # results may be long


@dataclass(frozen=True)
class Job:
    """Work that goes on, or is done, or failed with a problem."""

    id: str
    person: str
    campaign: int
    kind: str
    title: str  # empty if it has no page
    arguments: str
    back: str  # the page that the work was asked for on
    moment: str = ""
    started: float = 0.0
    seen: float = 0.0  # when its worker last said that it goes on
    ended: float | None = None
    note: str = ""  # why it takes long
    next_path: str | None = None  # set when it is done
    problem: Problem | None = None

    @property
    def path(self) -> str:
        """The page of the job."""
        return f"/c/{self.campaign}/jobs/{self.id}"

    @property
    def seconds(self) -> int:
        """How long it has taken."""
        return max(0, int((self.ended or time.time()) - self.started))

    def asks_the_same_as(self, other: "Job") -> bool:
        """Whether another job of the same person and kind has the same result."""
        return (self.campaign, self.arguments, self.moment) == (other.campaign, other.arguments, other.moment)


class JobRows:
    """The jobs of all workers that share the tables."""

    def __init__(self, tables: WorkTables, clock: Clock = time.time) -> None:
        self._tables, self._clock = tables, clock

    def now(self) -> float:
        """The time, in seconds."""
        return self._clock()

    def begin(self, job: Job, *, queue: int | None = None) -> Job | None:
        """Begin a job. If its person has one of its kind going on already, return that one instead.

        With a `queue`, None means that as many of its kind go on or wait in its campaign.
        """
        with alone(self._tables) as connection:
            self._tidy(connection)
            known = connection.execute(_going(self.now()).where(*_same(job, "person", "kind"))).first()
            if known is not None:
                return self._job(known)
            if queue is not None and len(self._before(connection, job)) >= queue:
                return None
            now = self.now()
            begun = replace(job, started=now, seen=now)
            connection.execute(insert(jobs).values(asdict(begun)))
        return begun

    def find(self, id: str) -> Job | None:  # noqa: A002 - as in addresses
        """A job; one whose worker gave no sign for a while has failed."""
        with self._tables.transaction() as connection:
            row = connection.execute(select(*BRIEF).where(jobs.c.id == id)).first()
        return None if row is None else self._job(row)

    def going_on(self, person: str, campaign: int) -> list[Job]:
        """What someone has going on in a campaign."""
        query = _going(self.now()).where(
            jobs.c.person == person, jobs.c.campaign == campaign, jobs.c.title != ""
        )
        with self._tables.transaction() as connection:
            return [self._job(row) for row in connection.execute(query.order_by(jobs.c.started))]

    def waits(self, job: Job) -> bool:
        """Whether one of its kind in its campaign began before it and goes on."""
        with self._tables.transaction() as connection:
            before = self._before(connection, job)
        return any((row.started, row.id) < (job.started, job.id) for row in before)

    def answered(self, campaign: int, kind: str, moment: str, arguments: str | None) -> Job | None:
        """The newest job with an answer that holds at a moment, for all `arguments` or for these."""
        query = select(*BRIEF).where(
            jobs.c.campaign == campaign,
            jobs.c.kind == kind,
            jobs.c.moment == moment,
            jobs.c.result.is_not(None),
            *([] if arguments is None else [jobs.c.arguments == arguments]),
        )
        with self._tables.transaction() as connection:
            row = connection.execute(query.order_by(jobs.c.ended.desc()).limit(1)).first()
        return None if row is None else self._job(row)

    def result(self, id: str) -> str | None:  # noqa: A002 - as in addresses
        """What a job found."""
        with self._tables.transaction() as connection:
            found: str | None = connection.execute(select(jobs.c.result).where(jobs.c.id == id)).scalar()
        return found

    def forget_answers(self, campaign: int, kind: str, moment: str) -> None:
        """Let go of answers that hold no longer: there may be one for every event, and each is long."""
        old = (jobs.c.moment.not_in(["", moment]), jobs.c.result.is_not(None))
        self._write(and_(jobs.c.campaign == campaign, jobs.c.kind == kind, *old), result=None)

    def still_going(self, ids: Iterable[str]) -> None:
        """Say that jobs go on."""
        self._write(jobs.c.id.in_([*ids]), seen=self.now())

    def change(self, id: str, **values: Any) -> None:  # noqa: A002 - as in addresses
        """Change what a job says."""
        self._write(jobs.c.id == id, **values)

    def end(
        self,
        id: str,  # noqa: A002 - as in addresses
        *,
        next_path: str | None = None,
        problem: Problem | None = None,
        result: str | None = None,
    ) -> None:
        """Say that a job is done, or failed."""
        now, said = self.now(), None if problem is None else json.dumps(problem)
        self.change(id, ended=now, seen=now, next_path=next_path, problem=said, result=result)

    def remove(self, id: str) -> None:  # noqa: A002 - as in addresses
        """Forget a job."""
        with self._tables.transaction(writes=True) as connection:
            connection.execute(delete(jobs).where(jobs.c.id == id))

    def _write(self, which: Any, **values: Any) -> None:
        with self._tables.transaction(writes=True) as connection:
            connection.execute(update(jobs).where(which).values(**values))

    def _tidy(self, connection: Connection) -> None:
        """Forget what ended long ago, or was lost."""
        now = self.now()
        connection.execute(delete(jobs).where(jobs.c.ended < now - KEPT_SECONDS))
        connection.execute(delete(jobs).where(jobs.c.seen < now - KEPT_SECONDS))
        connection.execute(delete(jobs).where(jobs.c.seen > now + KEPT_SECONDS))

    def _before(self, connection: Connection, job: Job) -> list[Any]:
        """Other jobs of its kind that go on or wait in its campaign."""
        query = _going(self.now()).where(*_same(job, "campaign", "kind"), jobs.c.id != job.id)
        return list(connection.execute(query))

    def _job(self, row: Any) -> Job:
        found = Job(**row._mapping)
        if row.problem is not None:
            return replace(found, problem=Problem(*json.loads(row.problem)))
        is_lost = found.ended is None and abs(self.now() - found.seen) > LOST_SECONDS
        return replace(found, ended=found.seen, problem=LOST) if is_lost else found


def new_id() -> str:
    """An identifier that nobody guesses."""
    return secrets.token_urlsafe(16)


def _going(now: float) -> Select[Any]:
    recent = jobs.c.seen.between(now - LOST_SECONDS, now + LOST_SECONDS)
    return select(*BRIEF).where(jobs.c.ended.is_(None), recent)


def _same(job: Job, *names: str) -> list[Any]:
    return [jobs.c[name] == getattr(job, name) for name in names]
