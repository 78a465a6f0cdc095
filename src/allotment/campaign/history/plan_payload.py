"""A plan as its event stores it, typed. Plans of version 1 are brought up to date here, and nowhere else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from allotment.campaign.forms.amounts import plain

Row = Sequence[float]


def weights_differ(severities: Iterable[Any]) -> bool:
    """Whether losses and cost are two things: the severity of some arm is not 1."""
    return any(each != 1 for each in severities)


class Tables(NamedTuple):
    """The expected losses of each arm by units, how they vary, and what one loss costs."""

    losses: Sequence[Row]
    variances: Sequence[Row] | None  # None for yes or no losses: the means say how they vary
    severities: Sequence[float]
    find_variances: Sequence[Row] | None = None  # of counted finds; plans before 0.3.0 do not store them


class FirstEffects(NamedTuple):
    """What version 1 stored instead of tables, by arm: costs, which are losses if all severities are 1."""

    prevents: Row
    remains: Row
    one_less: Sequence[float | None]
    one_more: Sequence[float | None]
    next_prevents: Sequence[float | None]
    next_units: Sequence[int | None]


@dataclass(frozen=True)
class StoredOrders:
    """The orders of the day as a plan stores them, by the names that places had."""

    budget: str | None = None
    exclude: Sequence[str] = ()
    require: Sequence[str] = ()
    fix: Mapping[str, str] = field(default_factory=dict)
    moves: int | None = None

    def __bool__(self) -> bool:
        """Whether anything but a limit of moves was asked for."""
        return bool(self.budget or self.exclude or self.require or self.fix)


@dataclass(frozen=True)
class StoredReasons:
    """Why a plan is as it is, as far as its tables do not say so."""

    binds: Sequence[str | None] = ()
    to_learn: Sequence[int] = ()
    held_back: Sequence[int] = ()
    price_cost: float = 0.0
    since: str | None = None
    moved: Sequence[Sequence[Any]] | None = None
    because: Sequence[str] = ()


@dataclass(frozen=True)
class PlanPayload:
    """A plan as it was written. Columns have a value for each of `arms`; amounts are in units."""

    id: str
    date: date
    knew: int  # the last event that was known
    explore: bool
    unit: Decimal
    budget: Decimal
    rest: Decimal
    arms: Sequence[str]  # by the names of that day
    units: Sequence[int]
    spare: Sequence[int] = ()
    usual_budget: str | None = None  # without the orders of the day; None where version 1 does not say
    best: Sequence[int] | None = None  # the best known plan without orders; None if there is or was none
    wishes: StoredOrders = StoredOrders()
    reasons: StoredReasons = StoredReasons()
    versions: Mapping[str, str] = field(default_factory=dict)
    losses: float | None = None  # expected; None in version 1, which stored the cost only
    cost: float = 0.0
    tables: Tables | None = None  # None in version 1
    effects: FirstEffects | None = None  # of version 1
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)
    crew: Sequence[int] | None = None
    calm: Mapping[str, Any] | None = None
    control: Mapping[str, Any] | None = None
    replaces: str | None = None
    situation: str | None = None  # by the name of that day
    stated: bool = False

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "PlanPayload":
        """The plan of a payload whose form was checked, or of one that was just made."""
        first = "version" not in payload
        wishes = StoredOrders(**payload.get("wishes", {}))  # a plan on trial does not say them
        stored, many = payload["reasons"], len(payload["arms"])
        parts = {name: stored[name] for name in ("binds", "to_learn", "since", "moved", "because")}
        reasons = StoredReasons(
            **parts,
            held_back=stored.get("held_back", [0] * many),  # the first plans do not say
            price_cost=stored["price" if first else "price_cost"],
        )
        if first:
            # The mean curves gave the best plan within the orders; the usual budget is known without one.
            own: dict[str, Any] = {
                "usual_budget": payload["budget"] if wishes.budget is None else None,
                "best": None if any(payload["wishes"].values()) else payload["mean"],
                "losses": None,
                "cost": payload["expected_losses"],
                "tables": None,
                "effects": FirstEffects(**{name: stored[name] for name in FirstEffects._fields}),
            }
        else:
            own = {
                "usual_budget": payload["usual_budget"],
                "best": payload["best"],
                "losses": payload["expected_losses"],
                "cost": payload["expected_cost"],
                "tables": Tables(**{name: payload[name] for name in Tables._fields if name in payload}),
                "beside": payload["beside"],
            }
        alike = ("knew", "explore", "arms", "units", "spare", "versions")
        sometimes = ("crew", "calm", "control", "replaces", "situation", "stated")
        return cls(
            id=payload["plan"],
            date=date.fromisoformat(payload["date"]),
            unit=Decimal(payload["unit"]),
            budget=Decimal(payload["budget"]),
            rest=Decimal(payload["rest"]),
            wishes=wishes,
            reasons=reasons,
            **{name: payload[name] for name in alike},
            **{name: payload[name] for name in sometimes if name in payload},
            **own,
        )

    def named(self, units: Sequence[int]) -> dict[str, int | float]:
        """A column of units by place, in the user's amounts."""
        return {name: plain(each * self.unit) for name, each in zip(self.arms, units, strict=True)}

    def weighted(self, otherwise: bool) -> bool:
        """Whether severities differ. Plans of version 1 do not say: `otherwise` is what holds for them."""
        return otherwise if self.tables is None else weights_differ(self.tables.severities)

    def expected_losses(self, *, weighted: bool) -> float | None:
        """The losses that it is expected to leave; None if it stores the cost only, and severities differ."""
        if self.tables is None:
            return None if weighted else self.cost
        return self.losses

    @property
    def is_control(self) -> bool:
        """Whether it is a control round."""
        return self.control is not None and bool(self.control["drawn"])
