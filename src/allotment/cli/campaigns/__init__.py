"""The commands of campaigns, in the order in which they are listed."""

import importlib

for _part in (
    *("daily", "asking", "sheets", "telling", "taking_back"),
    *("places", "questions", "safety", "serving", "tokens"),
):
    importlib.import_module(f"{__name__}.{_part}")
