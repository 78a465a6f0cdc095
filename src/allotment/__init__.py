"""Split a limited budget over places when success is invisible.

All public names can be imported from here. Each is loaded when it is first used, so that importing the
package is cheap and Numba is loaded only when it is needed.
"""

import importlib
import re
from pathlib import Path
from typing import Any

from allotment.policies import policy_modules
from allotment.system.moved_modules import know_old_names
from allotment.version import __version__

_IMPORT = re.compile(r"^from allotment\.?([\w.]*) import (\([^)]*\)|.+)$", re.MULTILINE)
_EXPORTED = re.compile(r"\b(\w+) as \1\b")


def _homes() -> dict[str, str]:
    """Where each public name lives, as the stub beside this file says. `theory` is a whole module."""
    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    return {name: home for home, names in _IMPORT.findall(stub) for name in _EXPORTED.findall(names)}


# Policies need no line in the stub to be found: CsbSt is looked for in policies/csb_st.py.
_HOMES = _homes() | {name.title().replace("_", ""): f"policies.{name}" for name in policy_modules()}

__all__ = [*_HOMES, "__version__"]

know_old_names()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not _HOMES[name]:
        return importlib.import_module(f"{__name__}.{name}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
