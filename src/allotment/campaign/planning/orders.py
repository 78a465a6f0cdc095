"""The orders of the day that a plan was made with, in words."""

from collections.abc import Mapping
from typing import Any


def orders_in(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What a plan was bound to on its day: fixed, excluded and required places, and another budget."""
    wishes = payload.get("wishes")
    if not wishes:
        return ()
    usual = payload.get("usual_budget")
    said = [f"{name} fixed at {amount}" for name, amount in wishes["fix"].items()]
    said += [f"{name} excluded" for name in wishes["exclude"]]
    said += [f"{name} required" for name in wishes["require"]]
    if wishes["budget"] is not None:
        said.append(f"budget {wishes['budget']}" + ("" if usual is None else f" instead of {usual}"))
    return tuple(said)
