"""The server of `allotment serve`: one process on loopback, threads for the pages, a graceful stop."""

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from allotment.errors import AllotmentError, InputError
from allotment.interrupts import Interrupts, interrupts
from allotment.web.application import make_application
from allotment.web.desk import Desk
from allotment.web.open_campaigns import OpenCampaigns
from allotment.web.opening import RedirectFile, open_browser

LOOPBACK = "127.0.0.1"
WAITING_CONNECTIONS = 128
STOP_SECONDS = 10  # that requests get to finish


class Server(uvicorn.Server):
    """Stops when the command is asked to. The command hears signals, and not Uvicorn."""

    def __init__(self, config: uvicorn.Config, arrived: Interrupts) -> None:
        super().__init__(config)
        self.arrived = arrived

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the handlers of signals as they are."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop; asked every tenth of a second."""
        return self.arrived.asked or await super().on_tick(counter)


def serve(store: str, port: int, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve the campaigns of a store until Ctrl-C or SIGTERM. `say` prints a line."""
    with listening(port) as taken:
        desk = Desk(OpenCampaigns(store), taken.getsockname()[1])
        file = RedirectFile()
        desk.codes.on_redeemed = file.remove
        config = uvicorn.Config(
            make_application(desk),
            access_log=False,  # addresses may hold a sign-in code
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            date_header=True,
            timeout_graceful_shutdown=STOP_SECONDS,
            http="h11",
            ws="none",
        )
        try:
            with interrupts() as arrived, arrived.held():
                say(f"{desk.campaigns.store_name} is served on {desk.address} for this machine only.")
                _invite(desk, file, browser=browser, say=say)
                threading.Thread(target=_warm_up, args=(desk,), daemon=True).start()
                if browser and sys.stdin is not None and sys.stdin.isatty():
                    threading.Thread(target=_invite_again, args=(desk, file, say), daemon=True).start()
                Server(config, arrived).run(sockets=[taken])
            say("The server has stopped.")
        finally:
            file.remove()
            desk.close()


def listening(port: int) -> socket.socket:
    """A socket on loopback; one sentence if the port cannot be had. Port 0 is any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((LOOPBACK, port))
        found.listen(WAITING_CONNECTIONS)
    except (OSError, OverflowError) as error:
        found.close()
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
