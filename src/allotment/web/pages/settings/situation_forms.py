"""The form of situations and their calendar: what it shows at first, and the changes that it holds."""

from dataclasses import astuple, dataclass
from typing import Any

from allotment.campaign.forms.amounts import written
from allotment.campaign.settings.settings import Settings
from allotment.errors import InputError
from allotment.web.requests.forms import Form

BLANKS = 2  # empty rules at the end of the form
DIGITS = 5  # of the number of a rule in a form
LISTED = ("situations", "days", "months", "dates")  # fields of a rule that hold several values


@dataclass(frozen=True)
class RuleRow:
    """A rule of the calendar, as typed. Several values of a field are separated by commas."""

    days: str = ""
    months: str = ""
    first: str = ""
    last: str = ""
    dates: str = ""
    situations: str = ""


@dataclass(frozen=True)
class SituationsForm:
    """The form: the situations with their budgets, new ones, the calendar."""

    budgets: dict[str, str]
    new: str
    rules: tuple[RuleRow, ...]
    default: str


def shown_situations(settings: Settings) -> SituationsForm:
    """The form as it first appears."""
    situations = settings.situations
    calendar = situations.calendar_data() or {}
    budgets = {name: written(settings.within(number).budget) for number, name in enumerate(situations.names)}
    rules = tuple(_shown_rule(each) for each in calendar.get("rules", ()))
    return SituationsForm(budgets, "", _with_blanks(rules), ", ".join(calendar.get("default", ())))


def typed_situations(form: Form, settings: Settings) -> SituationsForm:
    """What a form holds, to be shown again or to be tried."""
    typed = form.by_name("budget:")
    columns = [form.by_name(f"{name}:") for name in RuleRow.__dataclass_fields__]
    numbers = sorted({int(n) for each in columns for n in each if n.isdecimal() and len(n) <= DIGITS})
    rows = [RuleRow(*(each.get(str(n), "").strip() for each in columns)) for n in numbers]
    budgets = {name: typed.get(name, "").strip() for name in settings.situations.names}
    rules = tuple(row for row in rows if any(astuple(row)))
    return SituationsForm(budgets, form.text("new") or "", _with_blanks(rules), form.text("default") or "")


def changes_of_situations(typed: SituationsForm) -> dict[str, Any]:
    """The change that was typed."""
    names = [*typed.budgets, *_several(typed.new)]
    if not names:
        raise InputError("no situation is named", "names, such as weekday, weekend", what="situations")
    for name, budget in typed.budgets.items():
        if not budget:
            raise InputError(f"the budget in {name} is empty", "a number", what="budget")
    rules = [_rule(number, row) for number, row in enumerate(typed.rules, 1) if any(astuple(row))]
    calendar: dict[str, Any] = {"rules": rules} if rules else {}
    calendar |= {"default": _several(typed.default)} if typed.default else {}
    found: dict[str, Any] = {"situations": names, "calendar": calendar or None}
    return {**found, "budget": typed.budgets} if typed.budgets else found


def _rule(number: int, row: RuleRow) -> dict[str, Any]:
    """A rule as a calendar holds it. The calendar checks its values."""
    if bool(row.first) != bool(row.last):
        wrong = f"rule {number} of the calendar has only one day of its period"
        raise InputError(wrong, "the first and the last", what="period")
    found: dict[str, Any] = {name: _several(getattr(row, name)) for name in LISTED if getattr(row, name)}
    found |= {"months": [_month(each) for each in found["months"]]} if "months" in found else {}
    return {**found, "period": [row.first, row.last]} if row.first else found


def _shown_rule(rule: dict[str, Any]) -> RuleRow:
    first, last = rule.get("period") or ("", "")
    return RuleRow(first=first, last=last, **{name: ", ".join(rule.get(name, ())) for name in LISTED})


def _with_blanks(rules: tuple[RuleRow, ...]) -> tuple[RuleRow, ...]:
    return (*rules, *(RuleRow() for _ in range(BLANKS)))


def _several(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _month(text: str) -> int | str:
    return int(text) if text.isdecimal() and len(text) < 3 else text
