"""Checks of a problem's parts: its response, its unit, its names and severities."""

from collections.abc import Iterable, Mapping
from typing import Any

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import number, per_arm, vector
from allotment.errors import ConflictError, InputError
from allotment.worlds.responses import Capped, Response, Step, classes_in_words
from allotment.worlds.units import full_units

MOST_OVERDISPERSION = 100.0
MOST_CELLS = 2**27  # arms times units: a gigabyte


def checked_response(
    thresholds: ArrayLike | None, response: Response | None, arms: int, losses: str
) -> Response:
    """Steps at thresholds, or a response; not both."""
    if response is None:
        response = Step(thresholds)  # type: ignore[arg-type]  # it is checked there
    elif thresholds is not None:
        raise ConflictError(
            "a problem is given both thresholds and a response",
            "one of them",
            what="response",
            value=response,
        )
    if not isinstance(response, Response):
        raise InputError.of("response", response, classes_in_words())
    response.check_arms(arms)
    if isinstance(response, Capped) and losses != "counts":
        expected = "counts, since a capped response prevents incidents one by one"
        raise ConflictError.of("losses", losses, expected)
    return response


def checked_overdispersion(overdispersion: Any, losses: str) -> float:
    """Above 0 for counts only."""
    expected = f"a number from 0 to {MOST_OVERDISPERSION:g}"
    value = number("overdispersion", overdispersion, expected, least=0.0, most=MOST_OVERDISPERSION)
    if value and losses != "counts":
        raise ConflictError.of("overdispersion", overdispersion, "0, unless losses are counts")
    return value


def checked_unit(unit: Any, arms: int) -> float | None:
    """A unit that divides 1, or none."""
    if unit is None:
        return None
    if arms * full_units(unit) > MOST_CELLS:
        raise InputError.of("unit", unit, f"at least {arms / MOST_CELLS:.1g}, with {arms} arms")
    return float(unit)


def checked_names(
    names: Iterable[str] | None, count: int, *, what: str = "names", of: str = "arm"
) -> tuple[str, ...]:
    """Different names, one for each arm or situation; numbers if there are none."""
    if names is None:
        return tuple(f"{of} {i + 1}" for i in range(count))
    listed = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str | Mapping) else ()
    proper = all(isinstance(name, str) and name and name.isprintable() for name in listed)
    if not proper or len(listed) != count or len(set(listed)) != count:
        given = names if isinstance(names, str | Mapping) else list(listed) or names
        raise InputError.of(what, given, f"{count} different names, one for each {of}")
    return listed


def checked_severities(severities: ArrayLike | None, arms: int) -> FloatArray:
    """What one loss costs at each arm: 1 unless given."""
    costs = per_arm(1.0 if severities is None else severities, arms)
    return vector("severities", costs, "above 0 and at most 1e100", length=arms, above=0.0, most=1e100)
