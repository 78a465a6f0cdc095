"""Connections of a server without a proxy: those that send no request make room for those that do."""

import errno
import http.client
import os
import select
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import h11
import pytest
from uvicorn.protocols.http.flow_control import FlowControl

from allotment.web.serving import connections
from allotment.web.serving.connections import Listener, PatientProtocol, Phase
from running import PATIENCE_SECONDS, wait_until
from web_api_serving import api_server


@pytest.fixture
def listener(clock):
    with Listener(socket.AF_INET, socket.SOCK_STREAM, clock=clock) as found:
        found.bind(("127.0.0.1", 0))
        found.listen(128)
        yield found


@contextmanager
def half_open(address, many, source="127.0.0.1"):
    """Connections that send nothing."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(address, PATIENCE_SECONDS, (source, 0)))
            for _ in range(many)
        ]


def is_ended(line):
    line.settimeout(PATIENCE_SECONDS)
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


def was_ended(line):
    """Whether a connection has ended by now."""
    line.setblocking(False)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_half_open_connections_keep_nobody_out(campaign, monkeypatch):
    monkeypatch.setattr(connections, "MOST_BY_ADDRESS", 5)
    with api_server(campaign.store.name) as served:
        host = urlsplit(served)

        def is_answered():
            """Whether the server answers; for its first second, it keeps the place of each connection."""
            line = http.client.HTTPConnection(host.hostname, host.port, timeout=PATIENCE_SECONDS)
            try:
                line.request("GET", "/health")
                return line.getresponse().read() == b'{"status":"running"}'
            except (ConnectionError, http.client.HTTPException):
                return False
            finally:
                line.close()

        with half_open((host.hostname, host.port), 50) as opened:
            wait_until(is_answered)
            wait_until(lambda: sum(map(was_ended, opened)) >= 45)


def test_each_address_has_a_limit_and_all_together_have_one(listener, clock):
    listener.most, listener.most_by_address = 6, 4
    with half_open(listener.getsockname(), 5) as first:
        accepted = [listener.accept()[0] for _ in first[:4]]
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
        assert is_ended(first[4])  # it came within a second
        clock.now += 2
        with half_open(listener.getsockname(), 3, "127.0.0.2") as others:
            accepted += [listener.accept()[0] for _ in others]
            assert is_ended(first[0])  # of the address that has the most
            assert [each.ends for each in listener.connections] == [True, *[False] * 6]
        listener.close()
        assert len(listener.connections) == 7  # requests are answered before a server ends
        listener.end_all()
        assert listener.connections == []


def test_who_is_answered_makes_no_room(listener, monkeypatch):
    listener.most_by_address = 1
    with half_open(listener.getsockname(), 2) as opened:
        accepted, _ = listener.accept()
        monkeypatch.setattr(type(accepted), "phase", lambda self: Phase.ANSWER)
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
        assert is_ended(opened[1])
        opened[0].setblocking(False)
        with pytest.raises(BlockingIOError):
            opened[0].recv(1)
        accepted.close()


def test_without_descriptors_connections_are_refused_and_the_log_stays_short(
    listener, monkeypatch, clock, caplog
):
    real = socket.socket.accept

    def accept(self):
        """As the system does if the spare descriptor is the only one that is left."""
        if not select.select([self], [], [], 0)[0]:
            raise BlockingIOError
        try:
            os.fstat(self._spare)
        except OSError:
            return real(self)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(socket.socket, "accept", accept)
    listener.setblocking(False)
    with half_open(listener.getsockname(), 20) as opened:
        with pytest.raises(BlockingIOError):
            listener.accept()
        assert all(map(is_ended, opened))
    assert len(caplog.records) == 1 and "Too many open files" in caplog.text
    clock.now += 61
    with half_open(listener.getsockname(), 1), pytest.raises(BlockingIOError):
        listener.accept()
    assert len(caplog.records) == 2 and "(20 since the last line)" in caplog.text


def test_a_handshake_that_does_not_come_ends(listener, clock):
    with half_open(listener.getsockname(), 1) as [line]:
        accepted, _ = listener.accept()
        clock.now += 9
        listener.end_late_ones()
        assert listener.connections == [accepted]
        clock.now += 2
        listener.end_late_ones()
        assert is_ended(line)
        accepted.close()


class Flow(FlowControl):
    def __init__(self):
        self.read_paused = False


@pytest.fixture
def patient(clock):
    """The protocol of a connection, without a network."""
    found = PatientProtocol.__new__(PatientProtocol)
    found.conn, found.cycle, found.flow, found.clock = h11.Connection(h11.SERVER), None, Flow(), clock
    found._received, found._stuck_since, found._since, found._seen = 0, 0.0, clock.now, (h11.IDLE, None)
    return found


def test_a_header_may_take_ten_seconds(patient, clock):
    patient.conn.receive_data(b"GET / HTTP/1.1\r\nx: y")
    clock.now += 9
    assert not patient.is_late(clock.now)
    clock.now += 2
    assert patient.is_late(clock.now)


def test_a_body_must_come_at_some_speed(patient, clock):
    patient.conn.receive_data(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n")
    patient.conn.next_event()
    assert not patient.is_late(clock.now)
    patient._received = 20 * 1024
    clock.now += 39
    assert not patient.is_late(clock.now)
    clock.now += 2
    assert patient.is_late(clock.now)
    patient.flow.read_paused = True  # it is we who are slow
    assert not patient.is_late(clock.now)


def test_an_answer_may_take_us_long_but_must_be_read(patient, clock):
    patient.conn.receive_data(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    patient.conn.next_event()
    patient.conn.next_event()
    clock.now += 3600
    assert patient.phase() is Phase.ANSWER and not patient.is_late(clock.now)
    patient._stuck_since = clock.now
    clock.now += 61
    assert patient.is_late(clock.now)


def test_ended_handshakes_leave_no_trace_in_the_log(tmp_path):
    """A real handshake that is broken off, in a program of its own: its log stays empty."""
    from allotment.web.serving.certificates import self_signed

    program = """
import asyncio, ssl, sys
from allotment.web.serving.connections import Listener
async def main():
    listener = Listener(); listener.bind(("127.0.0.1", 0)); listener.listen(); listener.setblocking(False)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); tls.load_cert_chain(*sys.argv[1:])
    await asyncio.get_running_loop().create_server(asyncio.Protocol, sock=listener, ssl=tls)
    lines = [await asyncio.open_connection(*listener.getsockname()) for _ in range(3)]
    while len(listener.connections) < 3: await asyncio.sleep(0.01)
    for each in [*listener.connections]: each.hang_up()
    for reader, _ in lines: assert await reader.read() == b""
asyncio.run(main())
"""
    certificate = self_signed(["localhost"])
    done = subprocess.run(
        [sys.executable, "-c", program, str(certificate[0]), str(certificate[1])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
