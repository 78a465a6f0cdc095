"""Tables of tuning constants: every one has its meaning, and the study that chose it."""

import inspect
import re

import pytest

from allotment.policies.any_response import tuning as any_response
from allotment.policies.joint import tuning as joint

ASSIGNMENT = "^[A-Z_, ]+ = "


@pytest.mark.parametrize("table", [any_response, joint], ids=["any_response", "joint"])
def test_every_constant_says_what_it_means_and_which_study_chose_it(table):
    blocks = [block for block in inspect.getsource(table).split("\n\n") if re.search(ASSIGNMENT, block, re.M)]
    assert len(blocks) > 15
    for block in blocks:
        meaning, *others = [line for line in block.splitlines() if line.startswith("# ")]
        assert len(meaning) > 30
        assert any(line.startswith("# Study: ") for line in others), block
        assert len(re.findall(ASSIGNMENT, block, re.M)) == 1  # no comment speaks of two assignments
