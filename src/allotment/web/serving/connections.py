"""The connections of a server that has no proxy in front: how many there may be, and how slow each may be.

A connection counts from the moment that it is accepted, before any handshake, until its descriptor is closed.
If there are too many, the one that has waited longest without a whole request makes room: whoever opens
connections and sends nothing pushes out their own, and a request that comes in one piece is answered.
"""

import os
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from allotment.web.requests.problems import LOG
from allotment.web.security.front import household

MOST, MOST_BY_ADDRESS = 400, 200  # a browser opens six; thirty phones may share the address of a router
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

    book: "dict[Connection, None]"
    address: str
    accepted: float
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

    def patience_left(self, now: float) -> tuple[int, int, float]:
        """What comes first makes room first: those that never sent a request, and of them the oldest."""
        if self.protocol is None:
            return 0, Phase.HEADER, self.accepted
        return int(self.protocol.cycle is not None), max(self.phase(), Phase.HEADER), self.protocol.since(now)

    def hang_up(self) -> None:
        """End it: its transport sees the end of the stream, and closes it."""
        self.book.pop(self, None)  # at once, so that it is not counted again
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class Listener(socket.socket):
    """The socket of a server. It accepts connections only as long as there are not too many."""

    def __init__(self, *arguments: Any, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(*arguments)
        self.connections: dict[Connection, None] = {}  # the oldest first
        self.most, self.most_by_address = _most_in_all(), MOST_BY_ADDRESS
        self._clock = clock
        self._spare = os.open(os.devnull, os.O_RDONLY)  # given up for a connection that must be refused
        self._refused, self._reminded = 0, -REMINDER_SECONDS

    def close(self) -> None:
        """Stop listening."""
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1
        super().close()

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection that may stay; BlockingIOError if there is none now."""
        while True:
            try:
                accepted, peer = super().accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                raise
            except OSError as error:  # no descriptor is left: to leave it waiting would wake us for ever
                self._refuse_without_descriptor(error)
                continue
            connection = Connection(fileno=accepted.detach())
            connection.book, connection.accepted = self.connections, self._clock()
            connection.address = household(peer[0])
            if self._has_room_for(connection.address):
                self.connections[connection] = None
                return connection, peer
            connection.close()
            self._remind("there are too many connections")

    def end_late_ones(self) -> None:
        """End connections whose other side is too slow."""
        now = self._clock()
        for each in [each for each in self.connections if each.is_late(now)]:
            each.hang_up()

    def _has_room_for(self, address: str) -> bool:
        """Whether one more connection may come; one that only waits is ended for it."""
        many = Counter(each.address for each in self.connections)
        if many[address] >= self.most_by_address:
            return self._make_room(address)
        if len(self.connections) >= self.most:
            return any(self._make_room(crowded) for crowded, _ in many.most_common())
        return True

    def _make_room(self, address: str) -> bool:
        waiting = [
            each for each in self.connections if each.address == address and each.phase() < Phase.ANSWER
        ]
        if waiting:
            now = self._clock()
            min(waiting, key=lambda each: each.patience_left(now)).hang_up()
            self._remind("connections that sent no request made room for others")
        return bool(waiting)

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
