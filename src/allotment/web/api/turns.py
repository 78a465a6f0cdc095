"""Long work of the API: a token does one of a kind at a time, and a campaign has a queue of one."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from allotment.web.requests.problems import BusyError
from allotment.web.work.job_rows import Job, new_id
from allotment.web.work.jobs import Running

if TYPE_CHECKING:
    from allotment.web.api.calls import Call

QUEUE = 2  # one that computes, and one that waits
LOOK_SECONDS = 0.05  # between two looks of a request that waits


@contextmanager
def turn(call: "Call", kind: str) -> Iterator[None]:
    """Do long work alone, among all workers; wait for at most one who is before us."""
    jobs = call.desk.jobs
    wanted = Job(new_id(), call.rights.name, call.number, kind, title="", arguments="", back="")
    begun = jobs.rows.begin(wanted, queue=QUEUE)
    if begun is None:
        raise BusyError(f"Others are waiting for the same work ({kind}). Ask again in a moment.")
    if begun.id != wanted.id:
        raise BusyError(f"You have asked for this before ({kind}), and it is still being computed.")
    running = Running(begun, jobs.rows)
    jobs.watch(running)
    try:
        while jobs.rows.waits(begun):
            time.sleep(LOOK_SECONDS)
        call.campaign.read_anew()  # whoever was before us may have recorded something
        yield
    finally:
        jobs.unwatch(running)
        jobs.rows.remove(begun.id)
