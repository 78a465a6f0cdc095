"""Old names of modules, which files of earlier versions hold."""

import importlib
import importlib.util
import pickle

import numpy as np
import pytest

import allotment as al
from allotment.system.moved_modules import MOVED, PACKED, new_name

OTHERS = {
    "allotment.campaign.answers.standing": "allotment.campaign.answers",
    "allotment.campaign.answers.standing.status": "allotment.campaign.answers.status",
    "allotment.campaign.planning.deciding.expectations": "allotment.campaign.planning.expectations",
    "allotment.campaign.planning.plans.plan": "allotment.campaign.planning.plan",
}


@pytest.mark.parametrize(("old", "new"), (MOVED | OTHERS).items())
def test_an_old_name_gives_the_module(old, new):
    assert importlib.import_module(old) is importlib.import_module(new)
    assert importlib.import_module(new).__spec__.name == new


def test_modules_of_today_and_unknown_modules_have_no_new_name():
    for name in ("allotment", "allotment.policies.joint.policy", "allotment.nothing", "policy"):
        assert new_name(name) is None
    assert importlib.util.find_spec("allotment.nothing") is None


# Classes that pickles of the version before the rooms of campaigns hold, by module. Answers and settings of a
# campaign were pickled by that version, and loaded by this one.
CLASSES = {
    "allotment.campaign.answers.effect": ("Effect", "Interval", "Awaiting", "RoundSoFar"),
    "allotment.campaign.answers.effect_duration": ("Duration", "Course"),
    "allotment.campaign.answers.event_words": ("Part", "Difference"),
    "allotment.campaign.answers.explanation": ("Explanation",),
    "allotment.campaign.answers.history_book": ("HistoryItem", "HistoryPage"),
    "allotment.campaign.answers.history_words": ("HistoryLine",),
    "allotment.campaign.answers.plan_report": ("PlanReport", "PlaceReport"),
    "allotment.campaign.arms": ("Arm", "Group"),
    "allotment.campaign.calendar": ("Calendar", "Rule"),
    "allotment.campaign.control": ("Control",),
    "allotment.campaign.history.restoring": ("Restored",),
    "allotment.campaign.planning.checked_orders": ("CheckedOrders",),
    "allotment.campaign.settings": ("Settings",),
    "allotment.campaign.situations": ("Situations", "OwnBounds"),
}


@pytest.mark.parametrize("module", CLASSES)
def test_a_class_is_found_where_an_old_pickle_looks_for_it(module):
    for name in CLASSES[module]:
        found = pickle.loads(f"c{module}\n{name}\n.".encode())
        assert found.__name__ == name and pickle.loads(pickle.dumps(found)) is found


@pytest.mark.parametrize("package", PACKED)
def test_a_package_has_no_other_names(package):
    for name in ("nothing", "Nothing", "__path_"):
        with pytest.raises(AttributeError):
            getattr(importlib.import_module(package), name)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{package}.nothing")


def under_old_names(value):
    """A pickle of earlier versions: protocol 0 has the names as plain text."""
    content = pickle.dumps(value, protocol=0)
    for old, new in (MOVED | OTHERS).items():
        content = content.replace(f"c{new}\n".encode(), f"c{old}\n".encode())
    return content


@pytest.mark.parametrize("policy", [al.Joint(), al.MpTs(1.0)], ids=["joint", "mp-ts"])
def test_a_learner_that_was_pickled_under_old_names_goes_on(policy):
    learner = policy.start(2, 1.0, seed=4)
    content = under_old_names(learner)
    assert b"callotment.learner\n" in content
    assert np.array_equal(pickle.loads(content).ask(), learner.ask())


def test_a_plan_that_was_pickled_under_old_names_is_the_same(tmp_path):
    with al.Campaign.create(
        tmp_path / "a.db", "a", arms=["Gate"], budget=1, unit=1, most=1, seed=1
    ) as campaign:
        plan = campaign.ask()
    content = under_old_names(plan)
    assert b"callotment.campaign.planning.plans.plan\n" in content
    assert pickle.loads(content) == plan
