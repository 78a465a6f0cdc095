"""The orders of the day: what is asked of one plan beside the settings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from allotment.campaign.forms.amounts import exact, written
from allotment.campaign.settings.all_values import VALUES
from allotment.campaign.settings.settings import Settings
from allotment.errors import ConflictError, InputError, shown

ORDERS = ("budget", "exclude", "require", "fix")  # of the day, as a plan stores them


@dataclass(frozen=True)
class Wishes:
    """What is asked of one plan beside the settings."""

    budget: Decimal | None = None
    exclude: frozenset[int] = frozenset()
    require: frozenset[int] = frozenset()
    fix: Mapping[int, Decimal] | None = None
    moves: int | None = None  # instead of the campaign's

    @classmethod
    def of(
        cls, settings: Settings, budget: Any, exclude: Any, require: Any, fix: Any, moves: Any = None
    ) -> "Wishes":
        """Wishes in the user's words, checked one by one."""
        fixed: dict[int, Decimal] = {}
        if fix is not None and not isinstance(fix, Mapping):
            raise InputError.of("fix", fix, "amounts by the names of places")
        for name, amount in (fix or {}).items():
            arm = _plannable(settings, name)
            value = exact(f"fix of {name!r}", amount)
            if value % settings.unit:
                raise InputError.of(f"fix of {name!r}", amount, f"whole units of {written(settings.unit)}")
            if value > settings.arms[arm].most:
                cap = written(settings.arms[arm].most)
                raise ConflictError(
                    f"fix of {name!r} is {written(value)}",
                    f"at most {cap}, its most",
                    what="fix",
                    value=value,
                )
            if 0 < value < settings.arms[arm].crew:
                raise ConflictError(
                    f"fix of {name!r} is {written(value)}",
                    f"0, or at least {written(settings.arms[arm].crew)}, its crew",
                    what="fix",
                    value=value,
                )
            fixed[arm] = value
        left_out = frozenset(_plannable(settings, name) for name in names_in("exclude", exclude))
        needed = frozenset(_plannable(settings, name) for name in names_in("require", require))
        for arm in sorted(left_out & (needed | {arm for arm, value in fixed.items() if value})):
            raise ConflictError(
                f"{settings.arms[arm].name!r} is excluded, and required or fixed too",
                "one of them",
                what="exclude",
                value=settings.arms[arm].name,
            )
        for arm in sorted(needed & fixed.keys()):
            if fixed[arm] == 0:
                raise ConflictError(
                    f"{settings.arms[arm].name!r} is required, and fixed at 0", "one of them", what="require"
                )
        other_budget = None if budget is None else exact("budget", budget)
        return cls(other_budget, left_out, needed, fixed, VALUES["moves"].checked(moves))

    @classmethod
    def requested(
        cls, settings: Settings, budget: Any, exclude: Any, require: Any, fix: Any, moves: Any = None
    ) -> "Wishes":
        """The same for a new plan; stored plans are not held to what is checked here."""
        wishes = cls.of(settings, budget, exclude, require, fix, moves)
        for number, amount in (wishes.fix or {}).items():
            arm = settings.arms[number]
            if 0 < amount < arm.least:
                raise ConflictError(
                    f"fix of {arm.name!r} is {written(amount)}",
                    f"at least {written(arm.least)}, its least, or 0",
                    what="fix",
                    value=amount,
                )
        return wishes

    def to_dict(self, settings: Settings) -> dict[str, Any]:
        """The wishes as plain data, by the names that arms have now."""
        fix = self.fix or {}
        moves = {} if self.moves is None else {"moves": self.moves}
        return {
            **moves,
            "budget": None if self.budget is None else written(self.budget),
            "exclude": [settings.arms[arm].name for arm in sorted(self.exclude)],
            "require": [settings.arms[arm].name for arm in sorted(self.require)],
            "fix": {settings.arms[arm].name: written(amount) for arm, amount in sorted(fix.items())},
        }


def names_in(what: str, given: Any) -> list[Any]:
    """A list of names, of which there may be one, several or none."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError.of(what, given, "names of places")
    return list(given)


def _plannable(settings: Settings, name: Any) -> int:
    arm = settings.find(name)
    if not settings.arms[arm].active:
        raise ConflictError(f"place {shown(name)} is retired", "an active place", what="arm", value=name)
    return arm
