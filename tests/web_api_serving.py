"""A server of the pages and the API in a thread of this process, for tests of programs that call it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from allotment.system.interrupts import Interrupts
from allotment.web.application import make_application
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import OpenCampaigns
from allotment.web.security.front import LOOPBACK
from allotment.web.serving.connections import protocol_of
from allotment.web.serving.server import Server, listening


@contextmanager
def api_server(store: Path | str, *, counts_attempts: bool = True) -> Iterator[str]:
    """The address of a server on loopback, until the block ends; one that refuses nobody, if so wished."""
    with listening(LOOPBACK, 0) as taken:
        desk = Desk(OpenCampaigns(str(store)), taken.getsockname()[1], author="Ada")
        if not counts_attempts:
            desk.attempts.fail = lambda address: None
        config = uvicorn.Config(
            make_application(desk),
            access_log=False,
            log_level="warning",
            proxy_headers=False,
            ws="none",
            http=protocol_of(taken),
            loop="asyncio",
        )
        server = Server(config, Interrupts(), taken)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
        thread.start()
        try:
            yield desk.address
        finally:
            server.should_exit = True
            thread.join()
            taken.end_all()
            desk.close()
