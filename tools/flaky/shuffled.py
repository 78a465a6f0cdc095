"""A plugin of pytest that shuffles files, and the tests within each, by the seed in SHUFFLE.

A file's tests stay together, so that its fixtures are made once.
"""

import os
import random
from itertools import groupby

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Change the order in place: the same in every worker, which pytest-xdist demands."""
    luck = random.Random(int(os.environ["SHUFFLE"]))
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    for tests in files:
        luck.shuffle(tests)
    luck.shuffle(files)
    items[:] = [test for tests in files for test in tests]
