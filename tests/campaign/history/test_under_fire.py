"""Nothing is lost: processes killed, several at once, a full disk, a database that goes away."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import psutil
import pytest
from sqlalchemy import event

from allotment import Campaign, StoreError
from running import PATIENCE_SECONDS

PROGRAM = Path(__file__).parents[2] / "campaign_under_fire.py"


def run(*arguments):
    done = subprocess.run(
        [sys.executable, PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PROGRAM.parent), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_killed_at_random_moments(address):
    assert run("kill", address, 10, 1).startswith("10 kills")


def test_four_processes_at_once(address):
    assert run("crowd", address, 4, 100).startswith("400 acknowledged, 402 written")


@pytest.mark.soak
def test_killed_at_200_random_moments(address):
    assert run("kill", address, 200, 2).startswith("200 kills")


@pytest.mark.soak
def test_four_processes_a_thousand_times(address):
    assert run("crowd", address, 4, 1000).startswith("4000 acknowledged, 4002 written")


def test_a_full_disk(campaign, tmp_path):
    def limit(connection, record):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")

    campaign.ask()
    event.listen(campaign.store.engine, "connect", limit)
    campaign.store.engine.dispose()
    told = 0
    with pytest.raises(StoreError, match="night.db: the disk is full; nothing was written"):
        for told in range(1000):
            campaign.tell("1", {"Dock": told % 2}, correct=True, key=f"k{told}")
    log = tmp_path / "log.csv"
    log.write_text(
        "date,place,amount,incidents\n"
        + "".join(f"{date(1900, 1, 1) + timedelta(i)},Dock,0,0\n" for i in range(5000))
    )
    with pytest.raises(StoreError, match="the disk is full"):
        campaign.import_log(log)
    campaign.verify()
    assert campaign.plan("1").state == "partly told"
    event.remove(campaign.store.engine, "connect", limit)
    campaign.store.engine.dispose()
    campaign.verify()
    assert [each.key for each in campaign.history()][2:] == [f"k{i}" for i in range(told)]
    campaign.tell("1", {"Dock": told % 2}, correct=True, key=f"k{told}")
    campaign.import_log(log)
    campaign.verify()


def test_a_write_protected_file(campaign):
    campaign.ask()
    event.listen(
        campaign.store.engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only = 1")
    )
    campaign.store.engine.dispose()
    for action in (campaign.ask, lambda: campaign.tell("1", {"Dock": 1}), lambda: campaign.change(budget=1)):
        with pytest.raises(StoreError, match="night.db: it is write-protected"):
            action()
    campaign.verify()
    assert campaign.plan("1").state == "waiting"


def test_a_database_that_goes_away_in_the_middle(own_postgres):
    settings = {"arms": ["A", "B"], "budget": 1, "unit": 1, "most": 1}
    campaign = Campaign.create(own_postgres.get_uri(), "night", **settings)
    campaign.ask()
    done, failures = [], []

    def tell():
        try:
            for i in range(100_000):
                campaign.tell("1", {"A": i % 2}, correct=True, key=f"k{i}")
                done.append(f"k{i}")
        except Exception as error:
            failures.append(error)

    teller = threading.Thread(target=tell)
    teller.start()
    while len(done) < 20:
        teller.join(0.01)
    server = psutil.Process(own_postgres.get_pid())
    server.send_signal(signal.SIGQUIT)  # what "immediate" means
    teller.join(PATIENCE_SECONDS)
    assert isinstance(failures[0], StoreError)
    assert "cannot be reached, or went away" in str(failures[0])
    assert "\n" not in str(failures[0])
    with pytest.raises(StoreError, match="cannot be reached, or went away"):
        campaign.ask()
    with suppress(psutil.NoSuchProcess):
        while server.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.05)
    own_postgres.ensure_postgres_running()
    campaign.verify()
    written = [each.key for each in campaign.history()][2:]
    assert written[: len(done)] == done
    assert len(written) - len(done) in (0, 1)  # what was not acknowledged may be written, once
    campaign.tell("1", {"A": len(done) % 2}, correct=True, key=f"k{len(done)}")
    assert [each.key for each in campaign.history()][2:] == [f"k{i}" for i in range(len(done) + 1)]
    campaign.close()
