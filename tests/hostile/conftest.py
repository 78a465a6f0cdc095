"""The servers that run commands, and the intact files that cases start from, made when they are needed."""

import pytest

from hostile.masters import Masters
from hostile.running import Server


class _Servers(dict):
    def __missing__(self, kind):
        self[kind] = Server(kind)
        return self[kind]


@pytest.fixture(scope="session")
def servers():
    """One server with compiled code switched off, and one with it."""
    running = _Servers()
    yield running
    for server in running.values():
        server.close()


@pytest.fixture(scope="session")
def masters(servers, tmp_path_factory):
    return Masters(tmp_path_factory.mktemp("masters"), servers)
