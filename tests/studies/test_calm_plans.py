"""The study of calm plans, in small."""

import re

import numpy as np

from studies.calm_plans.study import Calmness, calmness, row
from studies.rehearsal import STEPS, Rehearsal


def test_limits_hold_and_a_wide_one_changes_nothing():
    it = Rehearsal("leaking", arms=6, days=12, seed=1)
    free = it.play(it.policy())
    assert len(it.gained) == 11
    assert it.play(it.policy(6 * STEPS)) == free
    it.play(it.policy(1))
    assert max(it.gained) == 1
    found = calmness("leaking", 1, arms=6, days=12, limits=(1, 36))
    assert found.free == found.limited[1] == free


def test_a_row_holds_ratios_with_intervals():
    found = [Calmness(100.0, (100.0 + k, 100.0), 5.0 + k, 4.0) for k in range(1, 9)]
    np.testing.assert_allclose(found[0].ratios, [1.01, 1.0])
    cells = row("step", found).strip("| ").split(" | ")
    assert cells[:3] == ["step", "9.5", "4.0"] and cells[4] == "1.000 (1.000 to 1.000)"
    value, low, high = map(float, re.findall(r"\d\.\d+", cells[3]))
    assert value == 1.045 and 1.01 < low < 1.03 and 1.06 < high < 1.08
