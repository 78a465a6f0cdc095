"""Reads of plans a second, beside an earlier commit, and beside a program that answers a fixed text.

python benchmarks/performance/ceiling.py c06398e9

The fixed text is as long as the plan, and stands behind the same check of tokens: no server of this kind can
do more. All three answer the same clients in turn, on both stores. What counts is the processor time that a
server needs for a read, so that neither clients nor other work decide. Only ratios are printed.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import httpx2
import psutil
from load import _stores

ROOT = Path(__file__).parents[2]
PLAN = "/api/v1/campaigns/1/plans/1"
PREPARE = """
import sys
from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store

address, places = sys.argv[1], int(sys.argv[2])
arms = [f"Zone {i}" for i in range(places)]
with Campaign.create(address, "many", arms=arms, budget=places // 3, unit=1, most=3, seed=1) as campaign:
    campaign.ask()
with Store(address) as store:
    print(Tokens(store).add(Rights("Program", PLANNER), by=Rights("root", PLANNER))[1])
"""
FIXED = """
import socket, sys
import uvicorn
from fastapi import FastAPI, Request, Response
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store

tokens, content, app = Tokens(Store(sys.argv[1])), open(sys.argv[2], "rb").read(), FastAPI()

@app.get(sys.argv[3])
def plan(request: Request):
    found = tokens.find(request.headers["authorization"].removeprefix("Bearer "))
    return Response(content, 200 if found else 401, media_type="application/json")

listening = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listening.getsockname()[1]}/sign-in", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])
"""


@contextmanager
def served(source, *command):
    """A server in a process of its own, with the package of a source tree; yields its address and process."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    with ExitStack() as ending:
        process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, text=True, env=environment
        )
        ending.callback(process.wait)
        ending.callback(process.terminate)
        assert process.stdout is not None
        line = next(each for each in process.stdout if each.startswith("http://"))
        yield line.partition("/sign-in")[0], psutil.Process(process.pid)


@contextmanager
def checked_out(commit, folder):
    """The sources of an earlier commit."""
    there = Path(folder, "before")
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", there, commit], cwd=ROOT, check=True)
    try:
        yield there
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", there], cwd=ROOT, check=True)


async def reads(server, token, clients, seconds):
    """Reads of a plan in a second of the server's processor time. Each client waits for its answers."""
    (url, process), done = server, 0
    headers = {"authorization": f"Bearer {token}"}

    def spent():
        return sum(process.cpu_times()[:2])

    async def client(http, end):
        nonlocal done
        while time.monotonic() < end:
            (await http.get(PLAN, headers=headers)).raise_for_status()
            done += 1

    async with httpx2.AsyncClient(base_url=url, timeout=60, trust_env=False) as http:
        (await http.get(PLAN, headers=headers)).raise_for_status()
        before, end = spent(), time.monotonic() + seconds
        await asyncio.gather(*(client(http, end) for _ in range(clients)))
        return done / (spent() - before)


def ratios(databases, trees, options):
    """Medians over passes: what is read now as a share of the ceiling, and as a multiple of before."""
    kinds, tokens = ("before", "now"), {}
    for kind in kinds:  # each version makes its own store
        tokens[kind] = subprocess.run(
            [sys.executable, "-c", PREPARE, databases[kind], str(options.places)],
            env={**os.environ, "PYTHONPATH": str(trees[kind] / "src")},
            capture_output=True, text=True, check=True,
        ).stdout.split()[-1]  # fmt: skip
    serve = ("-m", "allotment", "serve")
    with ExitStack() as open_servers, tempfile.TemporaryDirectory() as folder:
        servers = {
            kind: open_servers.enter_context(
                served(trees[kind], *serve, databases[kind], "--port", "0", "--no-browser")
            )
            for kind in kinds
        }
        content = httpx2.get(
            servers["now"][0] + PLAN, headers={"authorization": f"Bearer {tokens['now']}"}, trust_env=False
        ).content
        text = Path(folder, "plan.json")
        text.write_bytes(json.dumps("x" * (len(content) - 2)).encode())
        fixed = served(trees["now"], "-c", FIXED, databases["now"], str(text), PLAN)
        servers["ceiling"], tokens["ceiling"] = open_servers.enter_context(fixed), tokens["now"]
        found = [
            {
                kind: asyncio.run(reads(servers[kind], tokens[kind], options.clients, options.seconds))
                for kind in servers
            }
            for _ in range(options.passes)
        ]
    return (
        median(each["now"] / each["ceiling"] for each in found),
        median(each["now"] / each["before"] for each in found),
    )


def main():
    """Print the ratios for both stores."""
    parser = argparse.ArgumentParser(prog="benchmarks/performance/ceiling.py", description=__doc__)
    parser.add_argument("commit", help="the earlier commit")
    parser.add_argument("--places", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="allotment-ceiling-") as folder, ExitStack() as ending:
        trees = {"now": ROOT, "before": ending.enter_context(checked_out(options.commit, folder))}
        for store, address in _stores(folder):
            databases = {kind: beside(address, kind) for kind in trees}
            share, times = ratios(databases, trees, options)
            print(f"{store}: {share:.2f} of the ceiling, {times:.1f} times {options.commit}", flush=True)
    print(f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


def beside(address, kind):
    """The address of a store of one version: a file, or a database that is made here."""
    if not address.startswith("postgresql"):
        return address.replace("many.db", f"{kind}.db")
    import sqlalchemy

    url = sqlalchemy.make_url(address)
    engine = sqlalchemy.create_engine(url.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {kind}"))
    engine.dispose()
    return url.set(database=kind).render_as_string(hide_password=False)


if __name__ == "__main__":
    main()
