"""Old names of modules, which files of earlier versions hold."""

import importlib
import pickle

import numpy as np
import pytest

import allotment as al
from allotment.system.moved_modules import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_gives_the_module(old, new):
    assert importlib.import_module(old) is importlib.import_module(new)
    assert importlib.import_module(new).__spec__.name == new


@pytest.mark.parametrize("policy", [al.Joint(), al.MpTs(1.0)], ids=["joint", "mp-ts"])
def test_a_learner_that_was_pickled_under_old_names_goes_on(policy):
    learner = policy.start(2, 1.0, seed=4)
    content = pickle.dumps(learner, protocol=0)  # whose names are plain text
    for old, new in MOVED.items():
        content = content.replace(f"c{new}\n".encode(), f"c{old}\n".encode())
    assert b"callotment.learner\n" in content
    assert np.array_equal(pickle.loads(content).ask(), learner.ask())
