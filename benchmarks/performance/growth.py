"""How cost grows: with arms, rounds, replications, units and history; each size once in every pass."""

import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from machine import about

import allotment as al
from allotment.simulation.rollout import NONE, NOTHING, Run

QUIET = {"workers": 1, "progress": False, "seed": 1}


def seconds(action, clock=time.process_time):
    """How long it takes: of the processor, so that other programs do not count, or by another clock."""
    before = clock()
    action()
    return clock() - before


def known(policy, arms):
    """A policy that is told the thresholds, and a problem for it."""
    problem = al.Problem(np.linspace(0.3, 0.7, arms), 0.7, 0.7 * (arms // 2))
    return problem, policy(thresholds=0.7)


def rounds_with(make, horizon):
    """Seconds a round by arms, over so many rounds of a replication that has been started."""

    def measured(arms):
        problem, policy = make(arms)
        run = Run(problem, policy, horizon, seed=1, replications=0)
        run.compile()
        return seconds(lambda: run.advance(horizon, NONE, NOTHING)) / horizon

    return measured


def any_response(arms, unit=0.05):
    """AnyResponse, and a problem for it."""
    return al.Problem.random(arms, seed=3, response="logistic", unit=unit), al.AnyResponse(unit=unit)


def run_of(horizon, replications):
    """Seconds that a simulation of 20 arms takes."""
    problem, policy = known(al.MpTs, 20)
    run = {"horizon": horizon, "replications": replications, "record": 10}
    return seconds(lambda: al.simulate(problem, policy, **run, **QUIET))


class Histories:
    """Campaigns of 20 places with so many days behind them."""

    def __init__(self, folder, days):
        self._folder, luck = Path(folder), np.random.default_rng(1)
        names = [f"Zone {i}" for i in range(20)]
        growing = self._folder / "growing.db"
        al.Campaign.create(growing, "one", arms=names, budget=30, unit=0.5, most=3, seed=1).close()
        done = 0
        for wanted in days:
            with al.Campaign.open(growing) as campaign:
                for day in range(done, wanted):
                    date = np.datetime64("2020-01-01") + day
                    plan = campaign.ask(date=date.item())
                    campaign.tell(plan.id, dict(zip(names, (luck.random(20) < 0.2).tolist(), strict=True)))
            done = wanted
            shutil.copy(growing, self._folder / f"{wanted}.db")

    def open_and_ask(self, days):
        """Seconds to open a campaign and make the next plan."""
        copy = self._folder / "copy.db"
        shutil.copy(self._folder / f"{days}.db", copy)

        def opened():
            with al.Campaign.open(copy) as campaign:
                campaign.ask()

        taken = seconds(opened)
        copy.unlink()
        return taken


DAYS = (10, 100, 1000)


def series(folder):
    """What is measured: (what grows, who, what is measured, sizes, seconds at a size)."""
    histories = Histories(folder, DAYS)
    return [
        (
            "arms",
            "MP-TS, 1000 rounds",
            "a round",
            (10, 100, 1000, 10_000),
            rounds_with(lambda k: known(al.MpTs, k), 1000),
        ),
        (
            "arms",
            "CTS, 1000 rounds",
            "a round",
            (10, 100, 1000, 10_000),
            rounds_with(lambda k: known(al.Cts, k), 1000),
        ),
        ("arms", "AnyResponse, 100 rounds", "a round", (10, 100, 1000), rounds_with(any_response, 100)),
        ("rounds", "MP-TS, 20 arms", "a replication", (100, 1000, 10_000, 100_000), lambda t: run_of(t, 1)),
        (
            "replications",
            "MP-TS, 20 arms, 1000 rounds",
            "all of them",
            (1, 10, 100, 1000),
            lambda n: run_of(1000, n),
        ),
        (
            "units in a full grant",
            "AnyResponse, 20 arms, 1000 rounds",
            "a round",
            (5, 10, 20, 50, 100),
            lambda units: rounds_with(lambda k: any_response(k, 1 / units), 1000)(20),
        ),
        ("days of history", "a campaign of 20 places", "open and ask", DAYS, histories.open_and_ask),
    ]


def measure(passes, command):
    """The median seconds at every size, and how many times those at the size before."""
    with tempfile.TemporaryDirectory() as folder:
        listed = series(folder)
        for *_, sizes, cost in listed:  # compiles
            cost(sizes[0])
        passed = [[[cost(size) for size in sizes] for *_, sizes, cost in listed] for _ in range(passes)]
    found = []
    for place, (grows, who, measured, sizes, _) in enumerate(listed):
        costs = [each[place] for each in passed]
        found.append(
            {
                "grows": grows,
                "who": who,
                "measured": measured,
                "sizes": list(sizes),
                "seconds": [statistics.median(column) for column in zip(*costs, strict=True)],
                "times": [
                    statistics.median(cost[k] / cost[k - 1] for cost in costs) for k in range(1, len(sizes))
                ],
            }
        )
    return {"about": about(command, passes), "series": found}
