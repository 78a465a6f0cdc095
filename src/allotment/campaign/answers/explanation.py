"""Why a plan is what it is, from the reasons that are stored in it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from allotment.campaign.amounts import listed, plain
from allotment.campaign.answers.answer import Answer


@dataclass(frozen=True)
class Reason:
    """Why one arm gets what it gets. Losses are expected ones of a round, what each costs included."""

    arm: str
    amount: int | float
    prevents: float  # all that it got
    remains: float
    one_less: float | None  # what the last unit prevents
    one_more: float | None  # what one unit more would
    next_amount: int | float | None  # the next amount that would matter
    next_prevents: float | None  # and what it would prevent beyond today's
    binds: str | None
    to_learn: int | float  # of the amount, granted in order to learn


@dataclass(frozen=True)
class Explanation(Answer):
    """Why a plan is what it is: a reason for every arm, and what changed since the plan before."""

    plan_id: str
    reasons: tuple[Reason, ...]
    price: float  # expected losses today for what is granted in order to learn
    held_back: tuple[tuple[str, int | float], ...]  # arm, and what is missing to the best in expectation
    since: str | None  # the plan that it is compared with
    moved: tuple[tuple[str, float, float], ...]  # in the plans of the mean curves: arm, then, now
    because: tuple[str, ...]  # what was reported in between
    explored: bool

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "Explanation":
        """What was stored with a plan."""
        stored, unit = payload["reasons"], Decimal(payload["unit"])
        amounts = [plain(units * unit) for units in payload["units"]]
        following = [None if each is None else plain(each * unit) for each in stored["next_units"]]
        learning = [plain(units * unit) for units in stored["to_learn"]]
        columns = (
            payload["arms"],
            amounts,
            *(stored[name] for name in ("prevents", "remains", "one_less", "one_more")),
            following,
            stored["next_prevents"],
            stored["binds"],
            learning,
        )
        reasons = tuple(Reason(*row) for row in zip(*columns, strict=True))
        short = stored.get("held_back", ())  # plans of earlier versions do not say
        held_back = tuple((arm, plain(n * unit)) for arm, n in zip(payload["arms"], short, strict=False) if n)
        moved = tuple((name, then, now) for name, then, now in stored["moved"])
        explored = bool(payload["explore"])
        return cls(
            payload["plan"],
            reasons,
            stored["price"],
            held_back,
            stored["since"],
            moved,
            tuple(stored["because"]),
            explored,
        )

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        moved = [{"arm": name, "then": then, "now": now} for name, then, now in self.moved]
        short = [{"arm": name, "amount": amount} for name, amount in self.held_back]
        reasons = [vars(each) for each in self.reasons]
        return {**vars(self), "reasons": reasons, "held_back": short, "moved": moved}

    def columns(self) -> tuple[str, ...]:
        """What is said of every arm."""
        return (
            "place",
            "amount",
            "prevents",
            "remains",
            "one unit less",
            "one unit more",
            "next amount",
            "that prevents",
            "bound",
            "to learn",
        )

    def rows(self) -> list[tuple[Any, ...]]:
        """A row an arm."""
        return [tuple(vars(each).values()) for each in self.reasons]

    def sentences(self) -> list[str]:
        """What changed since the last plan, and what learning costs."""
        said = []
        if self.price > 0.0:
            learning = listed(f"{each.arm} {each.to_learn}" for each in self.reasons if each.to_learn)
            said.append(
                f"Granted in order to learn: {learning}; it costs {self.price:.3g} expected losses today."
            )
        if self.held_back:
            short = listed(f"{name} {amount}" for name, amount in self.held_back)
            said.append(f"Held back meanwhile, which shows what happens with less: {short}.")
        news = f"Since then: {listed(self.because)}." if self.because else "Nothing was reported since then."
        if self.since is None:
            said.append("This is the first plan.")
        elif not self.moved:
            said.append(f"What is best in expectation has not changed since plan {self.since}. {news}")
        else:
            moves = listed(f"{name} from {then} to {now}" for name, then, now in self.moved)
            said.append(f"What is best in expectation has moved since plan {self.since}: {moves}. {news}")
        if self.since is not None and self.explored:
            said.append("All other differences are the draw by which the policy learns.")
        return said
