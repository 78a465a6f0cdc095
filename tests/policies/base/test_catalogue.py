import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from allotment import CsbDt, Cts, EqualSplit, InputError, VersionWarning
from allotment.policies.base.catalogue import about, describe, find_policy, policy_classes, restore
from allotment.policies.base.policy_texts import parse


def test_policies_are_found_by_their_files():
    assert {"csb-st", "csb-dt", "csb-dt-ucb", "mp-ts", "cts", "equal-split"} <= set(policy_classes())


def test_every_parameter_of_a_policy_has_a_meaning():
    for name, kind in policy_classes().items():
        entry = about(name, kind)
        assert entry.meanings.keys() == entry.parameters.keys(), name


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
        "from allotment.policies.base.catalogue import about, describe, restore\n"
        "from allotment.policies.base.policy_texts import parse\n"
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


@dataclass(frozen=True)
class Simpler(EqualSplit):
    """A policy that once had a patience of 3, and none with 0."""

    removed: ClassVar = {"patience": (3, 0)}


@pytest.mark.parametrize("patience", ["3", "0", "0.0"])
def test_a_parameter_that_is_gone_is_ignored_where_it_made_no_difference(patience):
    text = f"simpler:patience={patience}"
    with pytest.warns(VersionWarning, match="ignored, since simpler no longer has it: patience="):
        assert parse(text, find=lambda name: Simpler) == Simpler()
    described = {**describe(Simpler()), "patience": float(patience)}
    with pytest.warns(VersionWarning, match="patience"):
        assert restore(described, [Simpler]) == Simpler()


def test_a_parameter_that_is_gone_is_refused_by_name_where_it_made_a_difference():
    with pytest.raises(InputError, match="simpler no longer has the parameter patience, which is 5 here"):
        parse("simpler:patience=5", find=lambda name: Simpler)
    with pytest.raises(InputError, match="simpler has no parameter 'waits'"):
        parse("simpler:waits=5", find=lambda name: Simpler)
