"""Large campaigns: a log of a million rows, a thousand places. Nobody else does this, so there is no peer."""

import datetime
import itertools
import statistics
import time

import numpy as np
import pytest

from allotment import Campaign

ARMS, DAYS = 1000, 1000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("campaigns")


@pytest.fixture(scope="module")
def log(folder):
    luck = np.random.default_rng(1)
    amounts, losses = luck.integers(0, 7, (DAYS, ARMS)) / 2, luck.random((DAYS, ARMS)) < 0.2
    with (folder / "log.csv").open("w") as file:
        file.write("date,place,amount,incidents\n")
        for day in range(DAYS):
            date = datetime.date(2020, 1, 1) + datetime.timedelta(day)
            rows = zip(amounts[day].tolist(), losses[day].tolist(), strict=True)
            file.writelines(f"{date},Zone {i},{amount},{lost:d}\n" for i, (amount, lost) in enumerate(rows))
    return folder / "log.csv"


def new(path):
    return Campaign.create(
        path, "many", arms=[f"Zone {i}" for i in range(ARMS)], budget=300, unit=0.5, most=3
    )


@pytest.fixture(scope="module")
def store(folder, log):
    with new(folder / "many.db") as campaign:
        campaign.import_log(log)
        campaign.ask()  # compiles
        campaign.status()
    return folder / "many.db"


def test_import_a_million_rows(benchmark, folder, log):
    names = iter(range(100))

    def fresh():
        return (new(folder / f"import-{next(names)}.db"),), {}

    benchmark.pedantic(lambda campaign: campaign.import_log(log), setup=fresh, rounds=2)


@pytest.mark.parametrize("question", ["ask", "status", "frontier", "verify"])
def test_open_and(benchmark, store, question):
    def opened():
        with Campaign.open(store) as campaign:
            getattr(campaign, question)()

    benchmark.pedantic(opened, rounds=3)


PLACES, SITUATIONS = 60, [f"shift {number}" for number in range(1, 7)]


@pytest.fixture(scope="module")
def shifts(folder):
    """60 places after two years with six shifts a day, each with loss rates of its own."""
    luck, arms = np.random.default_rng(2), [f"Zone {i}" for i in range(PLACES)]
    rates = 0.12 * np.exp(luck.normal(0, 1, (len(SITUATIONS), PLACES)))
    with (folder / "shifts.csv").open("w") as file:
        file.write("date,place,amount,incidents,situation\n")
        for day, (number, name) in itertools.product(range(730), enumerate(SITUATIONS)):
            date, amounts = datetime.date(2024, 1, 1) + datetime.timedelta(day), luck.integers(0, 5, PLACES)
            losses = luck.random(PLACES) < rates[number] * np.exp(-0.7 * amounts)
            rows = zip(arms, amounts.tolist(), losses.tolist(), strict=True)
            file.writelines(f"{date},{arm},{amount},{lost:d},{name}\n" for arm, amount, lost in rows)
    with Campaign.create(
        folder / "shifts.db", "shifts", arms=arms, budget=60, unit=1, most=4, situations=SITUATIONS, seed=1
    ) as campaign:
        campaign.import_log(folder / "shifts.csv")
        campaign.ask(date="2025-12-31", situation=SITUATIONS[0])  # compiles
        yield campaign


def test_plan_of_six_shifts(benchmark, shifts):
    """At most 0.3 s. The plan before is reported in between, so that there is something to learn."""
    dates = (datetime.date(2026, 1, 1) + datetime.timedelta(day) for day in itertools.count())
    cpu_times = []

    def report_and_go_on():
        for plan in shifts.open_plans():
            shifts.tell(plan.id, dict.fromkeys(shifts.plan(plan.id).amounts, 0))
        return (next(dates), SITUATIONS[len(cpu_times) % 6]), {}

    def ask(date, situation):
        begun = time.process_time()
        shifts.ask(date=date, situation=situation)
        cpu_times.append(time.process_time() - begun)

    benchmark.pedantic(ask, setup=report_and_go_on, rounds=13)
    benchmark.extra_info["CPU s"] = statistics.median(cpu_times)
    print(f"\na plan of 60 places in six situations: {statistics.median(cpu_times):.3f} s of CPU time")
