"""The gate for dear work: duty sheets, exports, and questions to a campaign that take time and memory.

Duty sheets, exports and the dear questions of pages and of the API pass here. Work that waits holds no
memory, and cannot hold all of the threads that answer cheap requests. Work for a small campaign is done in
this process. For a large one it is done in a process of its own, which has limits and gives its memory back.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from allotment.campaign.access.rights import Rights
from allotment.campaign.access.sight import seen_by
from allotment.campaign.campaign import Campaign
from allotment.campaign.planning.decision import memory_of
from allotment.campaign.settings.changes import change_of, changed
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import BY_NAME
from allotment.errors import AllotmentError
from allotment.system.memory import BASE, memory_limit, refuse_above_limit
from allotment.web.files.passing import passing_folder
from allotment.web.requests.problems import BusyError
from allotment.web.work.limited import ExhaustedError, run_limited
from allotment.web.work.plain_records import json_of, record_of

if TYPE_CHECKING:
    from allotment.web.desk import Desk

MOST_AT_ONCE, MOST_OF_PERSON = 3, 2
WAITING, WAITING_OF_PERSON, WAITING_IN_CAMPAIGN = 16, 6, 10  # of forty threads that answer requests
TOGETHER_BYTES = 2.5e9  # of work in processes of its own that goes on side by side
PATIENCE_SECONDS = 120.0  # in the queue
SECONDS = 300.0  # of a process
TRIAL = "what_if"
BYTES = 2**30  # that a process may write
SMALL = 1e8  # bytes of work that is done in this process
OF_A_PLAN = ("sheet_content", "explain", "explain_place")  # methods that only read what a plan says
PLAN_BYTES, AMOUNT_BYTES = 5e4, 100.0  # of a place of a plan that is read, and of each of its amounts
PROGRAM = "from allotment.web.work.answering import main; main()"
Made = TypeVar("Made")


@dataclass(eq=False)
class _Ticket:
    """Work that waits or goes on."""

    person: str
    campaign: int
    bytes: float


class Gate:
    """Lets in as much work as there is memory for, in turn, and tells the rest to come back."""

    def __init__(self, limit: Callable[[], float] = memory_limit) -> None:
        self._limit = limit
        self._changed = threading.Condition()
        self._waiting: list[_Ticket] = []
        self._going: list[_Ticket] = []

    @contextmanager
    def turn(self, person: str, campaign: int, size: float = 0.0) -> Iterator[None]:
        """Wait for one's turn; `size` is the memory of the work in bytes. BusyError if too many wait."""
        ticket = _Ticket(person, campaign, size)
        with self._changed:
            self._queue(ticket)
            try:
                if not self._changed.wait_for(lambda: self._is_next(ticket), PATIENCE_SECONDS):
                    raise BusyError("The server is busy. Ask again in a moment.")
                self._going.append(ticket)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._going.remove(ticket)
                self._changed.notify_all()

    def _queue(self, ticket: _Ticket) -> None:
        persons = Counter(each.person for each in self._waiting)
        campaigns = Counter(each.campaign for each in self._waiting)
        if persons[ticket.person] >= WAITING_OF_PERSON:
            raise BusyError("You have asked for much already that is still being computed. Ask again later.")
        if campaigns[ticket.campaign] >= WAITING_IN_CAMPAIGN or len(self._waiting) >= WAITING:
            raise BusyError("Others are waiting for their answers. Ask again in a moment.")
        self._waiting.append(ticket)

    def _is_next(self, ticket: _Ticket) -> bool:
        """Whether work may begin: it is the first of those whose person has not enough going on already."""
        persons = Counter(each.person for each in self._going)
        first = next((each for each in self._waiting if persons[each.person] < MOST_OF_PERSON), None)
        if first is not ticket or len(self._going) >= MOST_AT_ONCE:
            return False
        together = sum(each.bytes for each in self._going) + ticket.bytes
        most = self._limit() if ticket.bytes <= SMALL else min(self._limit(), TOGETHER_BYTES)
        return not self._going or together <= most


@dataclass(frozen=True)
class Asker:
    """Whoever asks a campaign something that is dear, and where."""

    desk: "Desk"
    rights: Rights
    number: int
    campaign: Campaign

    def answer(self, kind: type[Made], method: str, *, progress: Any = None, **arguments: Any) -> Made:
        """What a method of the campaign answers. `progress` is only called if it is asked in this process."""
        with self._turn(method, arguments) as needed:
            if needed <= SMALL:
                options = arguments if progress is None else {**arguments, "progress": progress}
                found: Made = getattr(self.campaign, method)(**options)
                return found
            return record_of(kind, self._elsewhere(method, arguments, needed).decode())

    def at_once(self, kind: type[Made], method: str, **arguments: Any) -> Made:
        """What a method answers. In a small campaign, the answer does not wait for dear work of others."""
        if self._needed(method, arguments) > SMALL:
            return self.answer(kind, method, **arguments)
        found: Made = getattr(self.campaign, method)(**arguments)
        return found

    def content(self, method: str, **arguments: Any) -> bytes:
        """The part of an answer that is seen, as JSON; of duty sheets, the file."""
        with self._turn(method, arguments) as needed:
            if needed <= SMALL:
                return content_of(self.campaign, self.rights, method, arguments)
            return self._elsewhere(method, arguments, needed)

    def done(self, work: Callable[[], Made]) -> Made:
        """What is made in this process, bit by bit, such as a file to download."""
        with self.desk.gate.turn(self.rights.name, self.number):
            return work()

    @contextmanager
    def _turn(self, method: str, arguments: dict[str, Any]) -> Iterator[float]:
        """One's turn; yields the bytes that the work needs beside what every process has."""
        needed = self._needed(method, arguments)
        many = len(self.campaign.settings.active)
        refuse_above_limit(f"an answer for {many} places", needed, "a larger unit, fewer places")
        with self.desk.gate.turn(self.rights.name, self.number, needed):
            yield needed

    def _needed(self, method: str, arguments: dict[str, Any]) -> float:
        return max(0.0, size_of(self.campaign.settings, method, arguments) - BASE)

    def _elsewhere(self, method: str, arguments: dict[str, Any], needed: float) -> bytes:
        rights = {each: getattr(self.rights, each) for each in ("name", "role", "campaign", "group")}
        with passing_folder() as folder:
            made = Path(folder, "answer")
            asked = {
                "job": "answer",
                "store": self.desk.campaigns.address,
                "number": self.number,
                "rights": rights,
                "method": method,
                "arguments": arguments,
                "made": str(made),
            }
            try:
                run_limited(PROGRAM, asked, seconds=SECONDS, memory=2 * needed, written=BYTES)
            except ExhaustedError:
                raise AllotmentError(
                    f"this answer takes more memory than was thought, or longer than {SECONDS:g} s",
                    "a campaign of fewer places, or with a larger unit",
                ) from None
            return made.read_bytes()


def content_of(campaign: Campaign, rights: Rights, method: str, arguments: dict[str, Any]) -> bytes:
    """The part of an answer that someone sees, as JSON; of duty sheets, the file."""
    found = getattr(campaign, method)(**arguments)
    return (
        found if isinstance(found, bytes) else json_of(seen_by(rights).of(found, campaign.settings)).encode()
    )


def size_of(settings: Settings, method: str, arguments: dict[str, Any]) -> float:
    """Bytes that an answer takes at most. A trial computes plans with the present and the tried settings."""
    if method in OF_A_PLAN:
        return BASE + len(settings.arms) * (PLAN_BYTES + AMOUNT_BYTES * settings.steps)
    tried = {name: given for name, given in arguments.items() if name in BY_NAME and method == TRIAL}
    if not tried:
        return memory_of(settings)
    return max(memory_of(settings), memory_of(changed(settings, change_of(settings, tried)).checked()))
