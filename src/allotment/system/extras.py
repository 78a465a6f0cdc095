"""Optional libraries: loaded when they are needed, or an error that says how to install them."""

import importlib
from typing import Any

from allotment.errors import MissingExtraError

DISTRIBUTIONS = {"fpdf": "fpdf2"}  # libraries that pip knows under another name than Python


def needed(module: str, what: str, extra: str) -> Any:
    """An optional library; `what` needs it, and it comes with an extra."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = DISTRIBUTIONS.get(module, module.partition(".")[0])
        raise MissingExtraError(
            f"{what} need {name}; install it with: pip install 'allotment[{extra}]'"
        ) from None
