"""Large campaigns: a log of a million rows, a thousand places. Nobody else does this, so there is no peer."""

import datetime

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
