"""Results that earlier versions saved. In joint-0.2.0.dev1.npz, `leak` still has two meanings."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from allotment import Joint, Result, VersionWarning, extend, simulate

EARLIER = Path(__file__).with_name("joint-0.2.0.dev1.npz")


@pytest.fixture(scope="module")
def earlier():
    with warnings.catch_warnings(action="ignore", category=VersionWarning):
        return Result.load(EARLIER)


def test_the_leak_of_yes_no_losses_is_a_chance_and_that_of_counts_a_share(earlier):
    usual, chance, share = earlier.policies
    assert usual == Joint()
    assert chance == Joint(leak_chance=0.01, label="joint:leak=0.01")
    assert share == Joint(losses="counts", leak=0.1, label="counted")


def test_further_replications_have_the_same_meaning(earlier, tmp_path):
    with warnings.catch_warnings(action="ignore", category=VersionWarning):
        longer = extend(earlier, 3, progress=False, workers=1)
    fresh = simulate(
        earlier.problem,
        Joint(leak_chance=0.01),
        horizon=300,
        replications=3,
        seed=4,
        record=2,
        progress=False,
    )
    found = longer["joint:leak=0.01"].paths
    assert np.array_equal(found[:2], earlier["joint:leak=0.01"].paths)
    assert np.array_equal(found[2], fresh["Joint"].paths[2])
    longer.save(tmp_path / "longer.npz")
    assert Result.load(tmp_path / "longer.npz").policies == earlier.policies
