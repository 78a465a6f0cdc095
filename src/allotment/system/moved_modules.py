"""Modules that moved: their old names still work, because files of earlier versions name them.

A pickled learner names the modules of its classes, and a policy from outside the package may import `Memory`.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "allotment.kernels.bits": "allotment.randomness.bits",
    "allotment.learner": "allotment.policies.base.learner",
    "allotment.memory": "allotment.system.memory",
    "allotment.policy": "allotment.policies.base.policy",
}


class _OldNames(MetaPathFinder, Loader):
    """Imports a module by its old name."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(MOVED[module.__name__])


def know_old_names() -> None:
    """Let old names of modules be imported from now on."""
    sys.meta_path.append(_OldNames())
