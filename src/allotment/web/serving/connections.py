"""The connections of a server that has no proxy in front: how many there may be, and how slow each may be.

A connection counts from the moment that it is accepted, before any handshake, until its descriptor is closed.
If there are too many, the connection that has waited longest without a whole request makes room. Whoever
opens connections and sends nothing pushes out their own. A request that comes in one piece is answered. Each
connection keeps its place for a second, so that those who come again at once are refused at little cost.
"""

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from allotment.web.requests.problems import LOG
from allotment.web.security.front import household

MOST, MOST_BY_ADDRESS = 400, 200  # a browser opens six; thirty phones may share the address of a router
QUEUE = 1024  # connections that wait to be accepted
AT_ONCE = 32  # that are accepted before others go on
SAFE_SECONDS = 1.0  # for a handshake and a request, before a connection may have to make room
HANDSHAKE_SECONDS = 10.0
HEADER_SECONDS = 10.0
BODY_SECONDS, BODY_BYTES_PER_SECOND = 20.0, 1024  # a body may take longer the more of it has come
ANSWER_SECONDS = 60.0  # to take 64 KiB of an answer
REMINDER_SECONDS = 60.0  # between two lines of the log on connections that were refused


class Phase(IntEnum):
    """What a connection waits for. One that waits for its handshake or a header makes room first."""

    HANDSHAKE = 0
    HEADER = 1
    BODY = 2
    ANSWER = 3  # ours: such a connection never makes room


class Connection(socket.socket):
    """An accepted connection. It leaves the book of its listener when its descriptor is closed."""

    book: "dict[Connection, None]"  # of its address
    accepted: float
    ends = False
    protocol: "PatientProtocol | None" = None

    def close(self) -> None:
        """Close it."""
        self.book.pop(self, None)
        super().close()

    def phase(self) -> Phase:
        """What it waits for."""
        return Phase.HANDSHAKE if self.protocol is None else self.protocol.phase()

    def is_late(self, now: float) -> bool:
        """Whether the other side has taken longer than it may."""
        if self.protocol is None:
            return now - self.accepted > HANDSHAKE_SECONDS
        return self.protocol.is_late(now)

    def never_asked(self) -> bool:
        """Whether no request has come."""
        return self.protocol is None or self.protocol.cycle is None

    def since(self, now: float) -> float:
        """When it began to wait."""
        return self.accepted if self.never_asked() or self.protocol is None else self.protocol.since(now)

    def hang_up(self) -> None:
        """End it: its transport sees the end of the stream, and closes it."""
        self.ends = True
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class Listener(socket.socket):
    """The socket of a server. It accepts connections only as long as there are not too many."""

    def __init__(self, *arguments: Any, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(*arguments)
        self._by_address: dict[str, dict[Connection, None]] = {}  # the oldest first
        self.most, self.most_by_address = _most_in_all(), MOST_BY_ADDRESS
        self._clock = clock
        self._spare = os.open(os.devnull, os.O_RDONLY)  # given up for a connection that must be refused
        self._refused, self._reminded = 0, -REMINDER_SECONDS

    def close(self) -> None:
        """Stop listening. Connections go on: requests are answered before a server ends."""
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1
        super().close()

    @property
    def connections(self) -> list[Connection]:
        """All connections."""
        return [each for book in self._by_address.values() for each in book]

    def listen(self, backlog: int = QUEUE) -> None:
        """Listen. asyncio accepts `backlog` connections at once, but far more may wait."""
        super().listen(QUEUE)

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection that may stay; BlockingIOError if there is none now, or others must go on."""
        for _ in range(AT_ONCE):
            try:
                accepted, peer = super().accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                raise
            except OSError as error:  # no descriptor is left: to leave it waiting would wake us for ever
                self._refuse_without_descriptor(error)
                continue
            address = household(peer[0])
            if not self._has_room_for(address):
                accepted.close()
                self._remind("connections were refused, since there are too many")
                continue
            connection = Connection(fileno=accepted.detach())
            connection.book, connection.accepted = self._by_address.setdefault(address, {}), self._clock()
            connection.book[connection] = None
            return connection, peer
        raise BlockingIOError

    def end_all(self) -> None:
        """Close what is left when the server has ended, such as handshakes that never came."""
        for each in self.connections:
            each.close()

    def end_late_ones(self) -> None:
        """End connections whose other side is too slow."""
        now = self._clock()
        for each in self.connections:
            if not each.ends and each.is_late(now):
                each.hang_up()
        self._by_address = {address: book for address, book in self._by_address.items() if book}

    def _has_room_for(self, address: str) -> bool:
        """Whether one more connection may come; one that only waits is ended for it."""
        many = {each: len(book) for each, book in self._by_address.items()}
        if many.get(address, 0) >= self.most_by_address:
            return self._make_room(address)
        if sum(many.values()) >= self.most:
            return any(self._make_room(crowded) for crowded in sorted(many, key=lambda each: -many[each]))
        return True

    def _make_room(self, address: str) -> bool:
        """End the connection of an address that has waited longest, those without any request first."""
        now, book = self._clock(), self._by_address[address]
        found = next((each for each in book if each.never_asked() and not each.ends), None)
        if found is None:
            waiting = (each for each in book if each.phase() < Phase.ANSWER and not each.ends)
            found = min(waiting, key=lambda each: each.since(now), default=None)
        if found is None or now - found.since(now) < SAFE_SECONDS:
            return False
        found.hang_up()
        self._remind("connections that sent no request made room for others")
        return True

    def _refuse_without_descriptor(self, error: OSError) -> None:
        os.close(self._spare)
        try:
            with suppress(OSError):
                super().accept()[0].close()
        finally:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        self._remind(f"a connection could not be accepted ({error.strerror})")

    def _remind(self, why: str) -> None:
        """Say so in the log, at most once a minute: whoever attacks must not fill the disk."""
        self._refused += 1
        if self._clock() - self._reminded >= REMINDER_SECONDS:
            LOG.warning("%s (%s since the last line)", why, self._refused)
            self._refused, self._reminded = 0, self._clock()


class PatientProtocol(H11Protocol):
    """HTTP on a connection, which knows how long the other side has taken."""

    listener: Listener  # of the class that `protocol_of` makes
    clock = staticmethod(time.monotonic)

    def connection_made(self, transport: Any) -> None:
        """The handshake is over."""
        super().connection_made(transport)
        self._received, self._stuck_since = 0, 0.0
        self._seen: tuple[Any, Any] = (None, None)
        self._since = self.clock()
        number = transport.get_extra_info("socket").fileno()
        for each in self.listener.connections:
            if each.fileno() == number:
                each.protocol = self

    def data_received(self, data: bytes) -> None:
        """Count what comes."""
        self._received += len(data)
        super().data_received(data)

    def pause_writing(self) -> None:
        """The other side takes the answer slower than it comes."""
        self._stuck_since = self.clock()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The other side took something."""
        self._stuck_since = 0.0
        super().resume_writing()

    def phase(self) -> Phase:
        """What the connection waits for."""
        if self.conn.their_state is h11.IDLE:
            return Phase.HEADER
        return Phase.BODY if self.conn.their_state is h11.SEND_BODY else Phase.ANSWER

    def since(self, now: float) -> float:
        """When its phase began, as far as it was looked at: about every second."""
        seen = (self.conn.their_state, self.cycle)
        if seen != self._seen:
            self._seen, self._since, self._received = seen, now, 0
        return self._since

    def is_late(self, now: float) -> bool:
        """Whether the other side has taken longer than it may."""
        if self._stuck_since:
            return now - self._stuck_since > ANSWER_SECONDS
        phase, taken = self.phase(), now - self.since(now)
        if phase is Phase.HEADER:
            return taken > HEADER_SECONDS
        is_ours = phase is Phase.ANSWER or self.flow.read_paused  # we have not read what came
        return not is_ours and taken > BODY_SECONDS + self._received / BODY_BYTES_PER_SECOND


def protocol_of(listening: Listener) -> type[H11Protocol]:
    """The protocol of the connections of a listener."""

    class Protocol(PatientProtocol):
        listener = listening

    return Protocol


def _most_in_all() -> int:
    """How many connections there may be: half of the descriptors are for files and databases."""
    try:
        import resource
    except ImportError:  # Windows
        return MOST
    return min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
