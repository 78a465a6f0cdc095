import subprocess
import sys

import pytest

from allotment import CsbDt, Cts, InputError
from allotment.catalogue import find_policy, policy_classes


def test_policies_are_found_by_their_files():
    assert {"csb-st", "csb-dt", "csb-dt-ucb", "mp-ts", "cts", "equal-split"} <= set(policy_classes())


def test_policies_are_short_in_a_log():
    assert repr(CsbDt()) == "CsbDt()"
    assert (
        repr(CsbDt(gamma=1e-4, learner=Cts(solve_every=5)))
        == "CsbDt(gamma=0.0001, learner=Cts(solve_every=5))"
    )
    assert repr(Cts(thresholds=[0.5, 0.25], label="told")) == "Cts(thresholds=(0.5, 0.25), label='told')"
    many = repr(Cts(thresholds=[0.5] * 100))
    assert len(many) < 100
    assert many.endswith("...)")


def test_only_the_policies_that_are_named_are_loaded():
    program = (
        "import sys\n"
        "from allotment.catalogue import describe, restore\n"
        "from allotment.policy_texts import parse\n"
        "restore(describe(parse('joint')))\n"
        "unused = 'allotment.policies.csb_dt', 'scipy.special', 'scipy.linalg'\n"
        "print([m for m in unused if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_working_folder_is_on_the_path_only_while_a_named_policy_is_looked_up(tmp_path, monkeypatch):
    (tmp_path / "kept_beside.py").write_text("from allotment import EqualSplit as Mine\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    assert find_policy("kept_beside.Mine").__name__ == "EqualSplit"
    with pytest.raises(InputError, match="cannot find"):
        find_policy("not_beside.Mine")
    assert sys.path == before
