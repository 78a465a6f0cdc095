"""The study of calm plans, in small."""

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
    found = [Calmness(100.0, (110.0, 100.0), 5.0, 4.0), Calmness(100.0, (106.0, 100.0), 7.0, 3.0)]
    np.testing.assert_allclose(found[0].ratios, [1.1, 1.0])
    assert row("step", found) == "| step | 6.0 | 3.5 | 1.080 ± 0.254 | 1.000 ± 0.000 |"
