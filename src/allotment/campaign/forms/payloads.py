"""Checks the form of payloads: keys, columns, and the parts that only answers read.

Whatever a file holds is checked when it is applied, as input is: names and amounts by the same functions.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import exact
from allotment.campaign.forms.read_only import DICTS, LISTS
from allotment.checks import LARGEST_COUNT, flag, one_of
from allotment.errors import InputError, shown
from allotment.tables import FORMULA

PLAN = (
    *("plan", "date", "knew", "explore", "unit", "budget", "rest", "arms", "units", "spare", "mean"),
    *("expected_losses", "reasons", "versions", "wishes"),
)
SOMETIMES = ("replaces", "crew", "calm", "control", "find_variances")  # parts that not every plan has
CONTROL = (
    *("id", "first", "share", "drawn", "plan", "expected_plan", "expected_comparison", "below", "above"),
    *("planned", "compared"),
)
CALM = ("since", "allowed", "limit", "gains", "price_losses", "price_cost")
REASONS = (
    *("prevents", "remains", "one_less", "one_more", "next_units", "next_prevents", "binds", "to_learn"),
    *("price", "since", "moved", "because"),
)
# Version 2 stores tables of what is expected, from which what an amount prevents follows.
PLAN_2 = (
    *PLAN,
    *("version", "usual_budget", "best", "expected_cost", "beside", "losses", "variances", "severities"),
)
REASONS_2 = ("binds", "to_learn", "held_back", "price_cost", "since", "moved", "because")
COUNTED = ("read", "taken", "quiet", "incidents", "skipped", "replaced")
LISTED = ("places", "without_rows", "ignored_columns")
IMPORT_REPORT = (
    *("id", "file", "rounds", "first", "last", "amount", "period", "incidents_as", "refused"),
    *COUNTED,
    *LISTED,
)
WHOLE, NUMBER, TEXT = frozenset({int}), frozenset({int, float}), frozenset({str})
NOTHING, MAPPING = frozenset({type(None)}), DICTS
MAYBE_NUMBER, MAYBE_TEXT = NUMBER | NOTHING, TEXT | NOTHING
WORDS = {
    int: "whole numbers",
    float: "numbers",
    str: "texts",
    dict: "values by name",
    list: "lists",
    type(None): "nothing",
}


def mapping(what: str, content: Any) -> dict[str, Any]:
    """Values by name."""
    if type(content) not in DICTS:
        raise InputError.of(what, content, "values by name")
    return content


def keyed(what: str, content: Any, needed: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """A mapping with these keys and no others."""
    found = mapping(what, content)
    for key in needed:
        if key not in found:
            raise InputError(f"{what} has no {key}", what=what, value=key)
    if len(found) > len(needed):
        for key in found:
            if key not in needed and key not in optional:
                raise InputError(
                    f"{what} has {shown(key)}",
                    f"only {', '.join([*needed, *optional])}",
                    what=what,
                    value=key,
                )
    return found


def column(what: str, values: Any, kinds: frozenset[type], length: int | None = None) -> list[Any]:
    """A list of values of certain kinds, of a given length; no number in it is infinite or missing."""
    if type(values) not in LISTS or not kinds.issuperset(map(type, values)):
        expected = " or ".join(word for kind, word in WORDS.items() if kind in kinds)
        raise InputError.of(what, values, f"a list of {expected}")
    if length is not None and len(values) != length:
        raise InputError(f"{what} has {len(values)} values", str(length), what=what, value=len(values))
    if float in kinds and not math.isfinite(sum(filter(None, values))):
        raise InputError.of(what, values, "finite numbers")
    return values


def counts(what: str, values: Any, *, below: int = LARGEST_COUNT + 1, length: int | None = None) -> list[int]:
    """A list of whole numbers from 0 to below a limit."""
    found = column(what, values, WHOLE, length)
    if found and not 0 <= min(found) <= max(found) < below:
        raise InputError.of(what, min(found) if min(found) < 0 else max(found), f"0 to {below - 1}")
    return found


def text(what: str, value: Any) -> str:
    """A text that can be shown: on one line, and no formula."""
    if not isinstance(value, str) or not value.isprintable() or value.startswith(FORMULA):
        raise InputError.of(what, value, "a text on one line")
    return value


def keys_of(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What the payload of a plan holds, by its version; plans of version 1 do not name theirs."""
    if "version" not in payload:
        return PLAN
    if type(payload["version"]) is not int or payload["version"] != 2:
        raise InputError.of("version", payload["version"], "2")
    return PLAN_2


def check_plan(payload: Mapping[str, Any], known: Mapping[str, int]) -> None:
    """Check the parts of a plan that are only shown, or compared by `verify`; `known` are names of arms."""
    many = len(payload["arms"])
    for part in ("spare", "mean"):
        counts(part, payload[part], length=many)
    flag("explore", payload["explore"])
    if "find_variances" in payload and payload.get("variances") is None:
        raise InputError.of("find_variances", payload["find_variances"], "none in a plan without variances")
    exact("budget", payload["budget"])
    exact("rest", payload["rest"])
    column("expected_losses", [payload["expected_losses"]], NUMBER)
    for part, version in mapping("versions", payload["versions"]).items():
        text(part, version)
    wishes = keyed("wishes", payload["wishes"], ("budget", "exclude", "require", "fix"), ("moves",))
    counts("moves", [wishes.get("moves", 0)])
    if "calm" in payload:
        calm = keyed("calm", payload["calm"], CALM)
        text("since", calm["since"])
        for part in ("allowed", "limit", "gains"):
            counts(part, [calm[part]])
        column("price", [calm["price_losses"], calm["price_cost"]], NUMBER)
    if "crew" in payload:
        counts("crew", payload["crew"], length=many)
    if "control" in payload:
        _check_control(payload, many, known)
    if wishes["budget"] is not None:
        exact("budget", wishes["budget"])
    for part in ("exclude", "require"):
        _check_names(part, column(part, wishes[part], TEXT), known)
    _check_names("fix", mapping("fix", wishes["fix"]), known)
    for amount in wishes["fix"].values():
        exact("fix", amount)
    if "version" in payload:
        _check_tables(payload, many)
        reasons = keyed("reasons", payload["reasons"], REASONS_2)
        column("price_cost", [reasons["price_cost"]], NUMBER)
    else:
        reasons = keyed("reasons", payload["reasons"], REASONS, ("held_back",))
        _check_first_reasons(reasons, many)
    _check_reasons(reasons, many, known)


def _check_control(payload: Mapping[str, Any], many: int, known: Mapping[str, int]) -> None:
    """What a plan stores of its lot: both plans, what is expected of them, and limits of `effect`."""
    control = keyed("control", payload["control"], CONTROL)
    text("id", control["id"])
    text("first", control["first"])
    if not 0 < exact("share", control["share"]) < 1:
        raise InputError.of("share", control["share"], "a number between 0 and 1")
    for part in ("planned", "compared"):
        counts(part, control[part], length=many)
    drawn = flag("drawn", control["drawn"])
    if control["compared" if drawn else "planned"] != payload["units"]:
        raise InputError.of("units", payload["units"], "the units of the plan that was drawn")
    if isinstance(control["plan"], str):
        one_of("plan", control["plan"], ("equal", "hot-spots"))
    else:
        _check_names("plan", mapping("plan", control["plan"]), known)
        for amount in control["plan"].values():
            exact("plan", amount)
    expected = column("expected", [control["expected_plan"], control["expected_comparison"]], NUMBER)
    limits = column("limits", [control["below"], control["above"]], NUMBER)
    if min(expected) < 0 or min(limits) <= 0:
        raise InputError.of("control", [*expected, *limits], "losses of at least 0, and limits above 0")


def _check_tables(payload: Mapping[str, Any], many: int) -> None:
    """What version 2 stores: tables with a row for each arm, as long as its amounts, and what they sum to."""
    exact("usual_budget", payload["usual_budget"])
    column("expected_cost", [payload["expected_cost"]], NUMBER)
    if payload["best"] is not None:
        counts("best", payload["best"], length=many)
    beside = mapping("beside", payload["beside"])
    for name in beside:
        column("beside", beside[text("beside", name)], NUMBER, 2)
    if min(column("severities", payload["severities"], NUMBER, many)) <= 0:
        raise InputError.of("severities", payload["severities"], "numbers above 0")
    losses, variances = payload["losses"], payload["variances"]
    _check_table("losses", losses, [units + 1 for units in payload["units"]])
    if variances is not None:
        _check_table("variances", variances, list(map(len, losses)))
    if "find_variances" in payload:
        _check_table("find_variances", payload["find_variances"], list(map(len, losses)))


def _check_table(what: str, rows: Any, lengths: list[int]) -> None:
    """A row of numbers for each arm, at least as long as said."""
    found = column(what, rows, LISTS, len(lengths))
    column(what, [each for row in found for each in row], NUMBER)
    for row, length in zip(found, lengths, strict=True):
        if len(row) < length:
            raise InputError(f"a row of {what} has {len(row)} values", f"{length}", what=what)


def _check_first_reasons(reasons: dict[str, Any], many: int) -> None:
    """What only version 1 stored."""
    for part in ("prevents", "remains"):
        column(part, reasons[part], NUMBER, many)
    for part in ("one_less", "one_more", "next_prevents"):
        column(part, reasons[part], MAYBE_NUMBER, many)
    ahead = column("next_units", reasons["next_units"], MAYBE_NUMBER, many)
    counts("next_units", [each for each in ahead if each is not None])
    column("price", [reasons["price"]], NUMBER)


def _check_reasons(reasons: dict[str, Any], many: int, known: Mapping[str, int]) -> None:
    counts("to_learn", reasons["to_learn"], length=many)
    if "held_back" in reasons:  # the first plans do not say
        counts("held_back", reasons["held_back"], length=many)
    for bound in set(column("binds", reasons["binds"], MAYBE_TEXT, many)) - {None}:
        text("binds", bound)
    if reasons["since"] is not None:
        text("since", reasons["since"])
    for name, *amounts in () if reasons["moved"] is None else reasons["moved"]:
        _check_names("moved", [name], known)
        column("moved", amounts, NUMBER, 2)
    for sentence in column("because", reasons["because"], TEXT):
        text("because", sentence)


def _check_names(what: str, given: Collection[Any], known: Mapping[str, int]) -> None:
    for each in given:
        if each not in known:
            raise InputError.of(what, each, "the name of a place")


def check_import_report(report: Any) -> None:
    """Check what an import said of itself; it is shown again when the import is repeated."""
    keyed("report", report, IMPORT_REPORT, ("read_as", "situations"))
    for name, count in mapping("situations", report.get("situations", {})).items():
        counts(text("situations", name), [count], below=2**63)
    if "read_as" in report:
        _check_read_as(report["read_as"])
    text("id", report["id"])
    column("file", [report["file"]], TEXT)
    for part in COUNTED:
        counts(part, [report[part]], below=2**63)
    column("rounds", [report["rounds"]], NUMBER)
    for part in LISTED:
        column(part, report[part], TEXT)
    for part in ("first", "last"):
        if report[part] is not None:
            names.stored_day(part, report[part])
    if report["amount"] is not None:
        exact("amount", report["amount"])
    if report["period"] is not None:
        for each in column("period", report["period"], TEXT, 2):
            names.stored_day("period", each)
    one_of("incidents_as", report["incidents_as"], ("count", "any"))
    column("refused", report["refused"], NOTHING, 0)


def _check_read_as(said: Any) -> None:
    """Check how a log was said to be read; it is proposed for the next log with the same heading."""
    keyed("read_as", said, ("heading",), ("columns", "header", "sheet", "dates"))
    column("heading", said["heading"], TEXT)
    for ours, theirs in mapping("columns", said.get("columns", {})).items():
        column(ours, [theirs], TEXT)
    counts("header", [said.get("header", 1)])
    column("read_as", [said.get(name, "") for name in ("sheet", "dates")], TEXT)
