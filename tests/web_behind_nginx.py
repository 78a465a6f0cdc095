"""Two workers on PostgreSQL behind Debian's nginx with TLS, as docs/how-to/team.md sets them up."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store
from allotment.web.serving.certificates import self_signed
from running import PATIENCE_SECONDS, wait_until
from web_serving import Served

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")
MISSING = "this test needs Debian's nginx: apt-get install nginx"
NAME, WORKERS = "localhost", 2
CONFIGURATION = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream allotment {{
        {workers}
    }}
    server {{
        listen 127.0.0.1:{port} ssl reuseport;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        client_max_body_size 32m;
        location / {{
            proxy_pass http://allotment;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_read_timeout 300s;
        }}
    }}
}}
"""


@contextmanager
def behind_nginx(store: str, folder: Path) -> Iterator[Served]:
    """A team's server, until the block ends. The store may be empty: the first page makes a campaign."""
    if NGINX is None:
        raise FileNotFoundError(MISSING)
    os.environ.setdefault("XDG_DATA_HOME", str(folder / "data"))
    with Store(store, create=True) as opened:
        _, token = Tokens(opened).add(Rights("Ada", PLANNER), by=Rights("root", PLANNER))
    # An address of this machine that no other process uses: its ports stay free until the workers take them.
    host = f"127.77.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"
    ports = [_free_port(host) for _ in range(WORKERS)]
    reserved, certificate = _reserved_port(), self_signed([NAME])
    port = reserved.getsockname()[1]
    configuration = folder / "nginx.conf"
    configuration.write_text(
        CONFIGURATION.format(
            folder=folder,
            port=port,
            certificate=certificate.certificate,
            key=certificate.key,
            workers="".join(f"server {host}:{each};" for each in ports),
        )
    )
    with ExitStack() as ending:
        ending.enter_context(reserved)
        for each in ports:
            command = [sys.executable, "-m", "allotment", "serve", store, "--host", host]
            command += ["--port", str(each), "--name", f"{NAME}:{port}", "--behind-proxy", "127.0.0.1"]
            worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            ending.callback(_end, worker)
            assert worker.stdout is not None
            assert "is served on" in worker.stdout.readline()
        proxy = subprocess.Popen([NGINX, "-c", str(configuration), "-p", str(folder)])
        ending.callback(_end, proxy)
        wait_until(lambda: _listens(port))
        address = f"https://{NAME}:{port}"
        yield Served(proxy, store, address, f"{address}/sign-in", token)  # type: ignore[arg-type]


def _free_port(host: str) -> int:
    with socket.socket() as found:
        found.bind((host, 0))
        return int(found.getsockname()[1])


def _reserved_port() -> socket.socket:
    """A port that nobody but nginx can take: it asks for the same sharing. Nothing listens here."""
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved


def _listens(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def _end(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(PATIENCE_SECONDS)
    if process.stdout is not None:
        process.stdout.close()
