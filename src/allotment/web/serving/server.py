"""The server of `allotment serve`: one process, threads for the pages, a graceful stop."""

import errno
import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import uvicorn

from allotment.errors import AllotmentError, InputError
from allotment.system.interrupts import Interrupts, interrupts
from allotment.web.application import make_application
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import OpenCampaigns
from allotment.web.security.front import LOOPBACK
from allotment.web.serving.connections import AT_ONCE, Listener, protocol_of
from allotment.web.serving.opening import RedirectFile, open_browser
from allotment.web.serving.qr_codes import qr_for_terminal
from allotment.web.serving.team_options import TeamOptions, check_tokens

TICKS_A_SECOND = 10
STOP_SECONDS = 10  # that requests get to finish


class Server(uvicorn.Server):
    """Stops when the command is asked to. The command hears signals, and not Uvicorn."""

    def __init__(self, config: uvicorn.Config, arrived: Interrupts, listener: Listener) -> None:
        super().__init__(config)
        self.arrived, self.listener = arrived, listener

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the handlers of signals as they are."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop; asked every tenth of a second."""
        if counter % TICKS_A_SECOND == 0:
            self.listener.end_late_ones()
        return self.arrived.asked or await super().on_tick(counter)


def serve(store: str, port: int, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve the campaigns of a store on this machine until Ctrl-C or SIGTERM. `say` prints a line."""
    with listening(LOOPBACK, port) as taken:
        desk = Desk(OpenCampaigns(store), taken.getsockname()[1])
        file = RedirectFile()
        desk.codes.on_redeemed = file.remove

        def invite() -> None:
            say(f"{desk.campaigns.store_name} is served on {desk.address} for this machine only.")
            _invite(desk, file, browser=browser, say=say)
            if browser and sys.stdin.isatty():
                threading.Thread(target=_invite_again, args=(desk, file, say), daemon=True).start()

        try:
            _run(desk, taken, invite, say)
        finally:
            file.remove()


def serve_team(store: str, port: int, options: TeamOptions, *, say: Callable[[str], None]) -> None:
    """Serve the campaigns of a store to people who sign in with tokens."""
    options.check()
    campaigns = OpenCampaigns(store)
    check_tokens(campaigns.store)
    with listening(options.host, port) as taken:
        desk = Desk(campaigns, taken.getsockname()[1])
        desk.open_to(options.front(desk.port))
        if options.proxies:  # all visitors come from the address of the proxy, which has limits of its own
            taken.most_by_address = taken.most
        certificate = options.certificate()

        def invite() -> None:
            say(f"{campaigns.store_name} is served on {desk.address}.")
            if options.self_signed and certificate is not None:
                say("Browsers warn of its certificate. It is the right one if its SHA-256 fingerprint is")
                say(certificate.fingerprint)
                say("To sign in on a phone, scan this code:")
                say(qr_for_terminal(f"{desk.address}/sign-in"))
            say("Press Ctrl-C to stop.")

        logging.basicConfig(format="%(message)s", level=logging.WARNING)
        logging.getLogger("allotment.access").setLevel(logging.INFO)
        tls = {} if certificate is None else {"ssl_certfile": certificate[0], "ssl_keyfile": certificate[1]}
        _run(desk, taken, invite, say, **tls)


def _run(
    desk: Desk, taken: Listener, invite: Callable[[], None], say: Callable[[str], None], **tls: Path
) -> None:
    config = uvicorn.Config(
        make_application(desk),
        access_log=False,  # addresses may hold a sign-in code; `access_log.py` writes ours
        log_level="warning",
        proxy_headers=False,  # we look at the raw peer of the connection
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=STOP_SECONDS,
        http=protocol_of(taken),
        backlog=AT_ONCE,
        loop="asyncio",  # which accepts connections with the method of our socket
        ws="none",
        **tls,  # type: ignore[arg-type]
    )
    try:
        with interrupts() as arrived, arrived.held():
            invite()
            threading.Thread(target=_warm_up, args=(desk,), daemon=True).start()
            Server(config, arrived, taken).run(sockets=[taken])
        say("The server has stopped.")
    finally:
        taken.end_all()
        desk.close()


def listening(host: str, port: int) -> Listener:
    """A socket on an address; one sentence if it cannot be had. Port 0 is any that is free."""
    found = Listener(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen()
    except (OSError, OverflowError) as error:
        found.close()
        if isinstance(error, socket.gaierror) or getattr(error, "errno", 0) == errno.EADDRNOTAVAIL:
            raise InputError.of("host", host, "an address of this machine, such as 192.168.1.20") from None
        reason = "is in use, or may not be used" if isinstance(error, OSError) else "does not exist"
        raise InputError(
            f"port {port} {reason}", "another one, such as --port 8360, or --port 0 for any", what="port"
        ) from None
    return found


def _invite(desk: Desk, file: RedirectFile, *, browser: bool, say: Callable[[str], None]) -> None:
    """Open the sign-in page, or say how to open it."""
    address = f"{desk.address}/sign-in?code={desk.codes.issue()}"
    if browser and open_browser(address, file):
        say("Your browser opens the sign-in page. Press Enter here to open it again, Ctrl-C to stop.")
        return
    say("Open this address in a browser on this machine, within five minutes. It works once:")
    say(address)
    say("Press Ctrl-C to stop.")


def _invite_again(desk: Desk, file: RedirectFile, say: Callable[[str], None]) -> None:
    """A new sign-in page each time that someone presses Enter."""
    with suppress(OSError, ValueError):  # the terminal is gone
        while sys.stdin.readline():
            _invite(desk, file, browser=True, say=say)


def _warm_up(desk: Desk) -> None:
    with suppress(AllotmentError):  # the pages say what is wrong
        desk.campaigns.warm_up(desk.author)
