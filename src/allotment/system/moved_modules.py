"""Modules that moved: their old names still work, because files of earlier versions name them.

A pickled answer, learner or policy names the modules of its classes. A policy from outside the package may
import `Memory`.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "allotment.campaign.answers.effect_duration": "allotment.campaign.answers.effect.effect_duration",
    "allotment.campaign.answers.explanation.explanation": "allotment.campaign.answers.plan_explanation",
    "allotment.campaign.answers.history.history_book": "allotment.campaign.answers.history_reader",
    "allotment.campaign.answers.history.plan_report": "allotment.campaign.answers.place_history",
    "allotment.campaign.answers.history_book": "allotment.campaign.answers.history_reader",
    "allotment.campaign.answers.history_words": "allotment.campaign.answers.history_reader",
    "allotment.campaign.answers.plan_report": "allotment.campaign.answers.place_history",
    "allotment.campaign.arms": "allotment.campaign.settings.arms",
    "allotment.campaign.calendar": "allotment.campaign.settings.calendar",
    "allotment.campaign.control": "allotment.campaign.settings.control",
    "allotment.campaign.history.restoring": "allotment.campaign.safety.restoring",
    "allotment.campaign.planning.checked_orders": "allotment.campaign.planning.plan_bounds",
    "allotment.campaign.situations": "allotment.campaign.settings.situations",
    "allotment.evidence_rows": "allotment.evidence.rows",
    "allotment.kernels.bits": "allotment.randomness.bits",
    "allotment.learner": "allotment.policies.base.learner",
    "allotment.memory": "allotment.system.memory",
    "allotment.policies._hoeffding": "allotment.policies._estimators",
    "allotment.policies._thompson": "allotment.policies._estimators",
    "allotment.policy": "allotment.policies.base.policy",
}
# Packages whose modules are now in the package around them.
DISSOLVED = {
    "allotment.campaign.answers": ("explanation", "history", "outlook", "record", "standing"),
    "allotment.campaign.planning": ("deciding", "limits", "making", "plans"),
}
# Packages with the name of an old module, and where its classes are (`answers.explanation` is dissolved).
PACKED = {
    "allotment.campaign.answers": "allotment.campaign.answers.plan_explanation",
    "allotment.campaign.answers.effect": "allotment.campaign.answers.effect.effect",
    "allotment.campaign.settings": "allotment.campaign.settings.settings",
}


def old_classes(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package in `PACKED`: it finds a class that an old module of this name had."""

    def found(name: str) -> Any:
        if not name[:1].isupper():  # it asks for a module
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(PACKED[package]), name)

    return found


def new_name(name: str) -> str | None:
    """The name of a module today, or None if it has always had this name."""
    around, _, last = name.rpartition(".")
    if last in DISSOLVED.get(around, ()):
        return around
    outer, _, room = around.rpartition(".")
    if room in DISSOLVED.get(outer, ()):
        return MOVED.get(name, f"{outer}.{last}")
    return MOVED.get(name)


class _OldNames(MetaPathFinder, Loader):
    """Imports a module by its old name."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if new_name(name) else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(str(new_name(module.__name__)))


def know_old_names() -> None:
    """Let old names of modules be imported from now on.

    They come first: Python would find the modules of a dissolved package in the package around it, and load
    them a second time.
    """
    sys.meta_path.insert(0, _OldNames())
