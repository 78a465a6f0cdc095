"""Campaigns in other processes: killed at random moments, or several at once. Run as a program, it forks.

python campaign_under_fire.py kill ADDRESS HOW_OFTEN SEED
python campaign_under_fire.py crowd ADDRESS PROCESSES OPERATIONS
"""

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import campaign_decider
from allotment import Campaign

ARMS = [f"Zone {number}" for number in range(8)]


def work(address, who, operations, acknowledge):
    """Ask, tell, correct and import; say each key when its answer has come."""
    luck = random.Random(f"{who}")
    with tempfile.TemporaryDirectory() as folder, Campaign.open(address) as campaign:
        for number in range(operations):
            key = f"{who} {number}"
            action = luck.choice(("ask", "tell", "tell", "tell", "import"))
            if action == "ask" or not campaign._current().plans:
                campaign.ask(date="2026-01-01", key=key)
            elif action == "tell":
                plan = luck.choice(campaign._current().plans).id
                arms = luck.sample(ARMS, 3)
                campaign.tell(plan, {arm: luck.randint(0, 1) for arm in arms}, correct=True, key=key)
            else:
                log = Path(folder, "log.csv")
                rows = (
                    f"{1900 + abs(hash(who)) % 120}-01-{day:02},{ARMS[day % 8]},0,{day % 2}"
                    for day in range(1, 29)
                )
                log.write_text("date,place,amount,incidents\n" + "\n".join(rows) + "\n")
                campaign.import_log(log, key=key, correct=True)
            acknowledge(key)


def child(address, who, operations):
    """A process that works; what it has acknowledged can be read."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reading)
            work(address, who, operations, lambda key: os.write(writing, f"{key}\n".encode()))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    return pid, reading


def acknowledged(reading):
    with os.fdopen(reading) as lines:
        return [line.strip() for line in lines if line.endswith("\n")]


def check(address, keys):
    with Campaign.open(address) as campaign:
        campaign.verify()
        written = [event.key for event in campaign.history()]
    assert len(written) == len(set(written)), "a key stands twice"
    missing = set(keys) - set(written)
    assert not missing, f"acknowledged and missing: {sorted(missing)[:5]}"
    return len(written)


def kill(address, often, seed):
    luck, keys = random.Random(seed), []
    for round_ in range(often):
        pid, reading = child(address, f"killed {seed} {round_}", 10_000)
        time.sleep(luck.uniform(0.05, 0.4))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        keys += acknowledged(reading)
        written = check(address, keys)
    print(f"{often} kills, {len(keys)} acknowledged, {written} written")


def crowd(address, processes, operations):
    running = [child(address, f"one of many {who}", operations) for who in range(processes)]
    keys = [key for _, reading in running for key in acknowledged(reading)]
    states = [os.waitpid(pid, 0)[1] for pid, _ in running]
    assert states == [0] * processes, "a process failed"
    written = check(address, keys)
    assert len(keys) == processes * operations == written - 2, "something was lost"
    print(f"{len(keys)} acknowledged, {written} written")


if __name__ == "__main__":
    campaign_decider.install()
    what, address, many, detail = sys.argv[1:]
    settings = {"arms": ARMS, "budget": 8, "unit": 0.5, "most": 2, "seed": 1}
    with Campaign.create(address, "night", **settings) as made:
        made.ask()
    {"kill": kill, "crowd": crowd}[what](address, int(many), int(detail))
