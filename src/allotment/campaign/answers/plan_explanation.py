"""The explanation of a plan, from the reasons stored with it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from allotment.campaign.answers.reason import Reason, reasons_in
from allotment.campaign.forms.amounts import listed, plain
from allotment.campaign.forms.answer import Answer, losses_and_cost, short, spoken
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.calm import calm_price, calm_sentences
from allotment.campaign.planning.comparison import control_in, control_sentences
from allotment.campaign.planning.plan import orders_in, plan_words, situation_words

TOLD = 24  # places that got nothing, in one note
BINDING = {
    "fixed": " That is an order of the day.",
    "required": " An order of the day requires at least that.",
    "most": " It cannot use more.",
    "least": " That is its least.",
    "crew": " That is its crew.",
}


class Moved(NamedTuple):
    """An amount of the best known plan that moved: of which place, from what, and to what."""

    arm: str
    then: float
    now: float


@dataclass(frozen=True)
class Explanation(Answer):
    """Why a plan is as it is: a reason for every place, and what changed since the previous plan.

    Attributes
    ----------
    plan_id, date, unit
        The plan, its date and its unit.
    weighted : bool
        Whether some severity differs from 1, so that losses and cost differ.
    reasons : tuple of Reason
        The reason of each place.
    orders : tuple of str
        The orders of the day, in words.
    price_cost : float
        The expected cost today of amounts granted in order to learn.
    since : str or None
        The plan that this one is compared with.
    moved : tuple of Moved or None
        The changes between the two best known plans: place, then, now.
    because : tuple of str
        The reports and changes between the two plans.
    explored : bool
        Whether the plan may grant amounts in order to learn.
    expected_losses, expected_cost : float
        The expectations of the whole plan. Losses are None if only the cost is known.
    calm : dict or None
        The limit of moves, and how the plan kept to it.
    situation : str or None
        The situation that the plan was made for. None if the campaign had no situations.
    counts_as : str or None
        The situation that its reports count for, if a new calendar gives its date another one.
    control : dict or None
        If it is a control round: the comparison plan in words, and the share of control rounds.
    """

    plan_id: str
    date: str
    unit: int | float
    weighted: bool
    reasons: tuple[Reason, ...]
    orders: tuple[str, ...]
    price_cost: float
    since: str | None
    moved: tuple[Moved, ...] | None
    because: tuple[str, ...]
    explored: bool
    expected_losses: float | None
    expected_cost: float
    calm: dict[str, Any] | None = None
    situation: str | None = None
    counts_as: str | None = None
    control: dict[str, Any] | None = None

    @classmethod
    def of(cls, stored: PlanPayload, *, weighted: bool = False) -> "Explanation":
        """Read the explanation that is stored with a plan.

        Parameters
        ----------
        stored : PlanPayload
            The plan as its event stores it (`Event.plan`).
        weighted : bool
            Whether severities differ, for plans of version 1, which do not say.

        Returns
        -------
        Explanation
            The explanation.
        """
        why, weighted = stored.reasons, stored.weighted(otherwise=weighted)
        return cls(
            plan_id=stored.id,
            date=stored.date.isoformat(),
            unit=plain(stored.unit),
            weighted=weighted,
            reasons=reasons_in(stored, weighted=weighted),
            orders=orders_in(stored),
            price_cost=why.price_cost,
            since=why.since,
            moved=None if why.moved is None else tuple(Moved(*each) for each in why.moved),
            because=tuple(why.because),
            explored=stored.explore,
            expected_losses=stored.expected_losses(weighted=weighted),
            expected_cost=stored.cost,
            calm=None if stored.calm is None else dict(stored.calm),
            situation=stored.situation,
            control=control_in(stored),
        )

    @property
    def held_back(self) -> tuple[tuple[str, int | float], ...]:
        """Places that get less than would be best today, and how much less."""
        return tuple((each.arm, each.held_back) for each in self.reasons if each.held_back)

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return ("place", *(each.name.replace("_", " ") for each in fields(Reason)[1:]))

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per place."""
        return [tuple(vars(each).values()) for each in self.reasons]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The amount, effect and remaining losses of each place, and the bound that binds."""
        if self.weighted:
            columns: tuple[str, ...] = ("place", "gets", "losses prevented", "cost prevented")
            columns += ("losses left", "cost left", "bound")
            names = ("prevents_losses", "prevents_cost", "remaining_losses", "remaining_cost")
        else:
            columns = ("place", "gets", "losses prevented", "losses left", "unit less", "unit more", "bound")
            names = ("prevents_losses", "remaining_losses", "one_less_losses", "one_more_losses")
        rows: list[Sequence[Any]] = []
        for each in self.reasons:
            numbers = [getattr(each, name) for name in names]
            rows.append(
                (
                    each.arm,
                    each.amount,
                    *("" if number is None else short(number) for number in numbers),
                    each.binds,
                )
            )
        return columns, rows

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """The whole explanation: totals, orders, each place, the price of learning, and changes."""
        granted = [each for each in self.reasons if each.amount]
        granted.sort(key=lambda each: -each.prevents_cost)
        nothing = [each for each in self.reasons if not each.amount]
        nothing.sort(key=lambda each: -(each.next_cost or 0.0))
        said = [f"{self.title()} is expected to {self._totals()}."]
        said += control_sentences(self.control)
        if self.orders:
            said.append(f"Orders of the day: {'; '.join(self.orders)}.")
        said += [self.why(each) for each in granted]
        said += [self.why(each) for each in nothing[:TOLD]]
        if len(nothing) > TOLD:
            said.append(f"{len(nothing) - TOLD} more places get nothing. Name one to read why.")
        calm = calm_sentences(self.calm) + calm_price(self.calm, weighted=self.weighted)
        return [*said, *self._groups(), *self.learning(), *calm, *self.changes()]

    def title(self) -> str:
        """Name the plan at the beginning of a sentence."""
        situation = situation_words(self.situation, self.counts_as)
        return plan_words(self.plan_id, self.date, situation, capital=True)

    def _totals(self) -> str:
        losses = [each.prevents_losses for each in self.reasons]
        known = [each for each in losses if each is not None]
        prevented = self._words(
            sum(known) if len(known) == len(losses) else None,
            sum(each.prevents_cost for each in self.reasons),
        )
        left = self._words(self.expected_losses, self.expected_cost)
        return f"prevent {prevented} in a round, and to leave {left}"

    def why(self, each: Reason) -> str:
        """Explain one place in a sentence or two.

        Parameters
        ----------
        each : Reason
            The reason of the place.

        Returns
        -------
        str
            What its amount prevents, or why it gets nothing.
        """
        if not each.amount:
            return f"{each.arm} gets nothing{self._why_not(each)}."
        prevented = self._words(each.prevents_losses, each.prevents_cost)
        said = (
            f"{each.arm} gets {each.amount}, which prevents {prevented}.{BINDING.get(each.binds or '', '')}"
        )
        if each.to_learn:
            said += f" {each.to_learn} of it is to learn."
        if each.held_back:
            said += f" That is {each.held_back} less than is best today, to learn what less does."
        if each.spare:
            said += f" {each.spare} of it is spare: no place needed it."
        return said

    def _why_not(self, each: Reason) -> str:
        if each.binds == "excluded":
            return ": an order of the day excludes it"
        if each.next_amount is None:
            return ": as far as known, no amount that it can use helps there"
        would = f"{each.next_amount} there would prevent {self._words(each.next_losses, each.next_cost)}"
        if self.control is not None:
            return f" in the comparison plan: {would}"
        if each.held_back:
            return f", to learn what happens without: {would}"
        if each.binds is not None and each.binds.startswith("most of "):
            return f": {would}, but {each.binds.removeprefix('most of ')} has its most"
        if each.elsewhere_cost is None or each.next_cost is None:
            return f": {would}"
        if each.elsewhere_cost < each.next_cost and self._needs_more_moves(each.next_amount):
            return f": {would}, but the limit of moves leaves units where they were"
        if self.explored and each.elsewhere_cost < each.next_cost:
            return f": {would}, but others get it to learn"
        kind = "a cost of " if self.weighted else ""
        return f": {would}. Elsewhere, {each.next_amount} prevents {kind}{spoken(each.elsewhere_cost)}"

    def _needs_more_moves(self, amount: int | float) -> bool:
        """Whether a place that gets nothing could not get an amount within the limit of moves."""
        return self.calm is not None and self.calm["gains"] + amount / self.unit > self.calm["limit"]

    def _words(self, losses: float | None, cost: float | None) -> str:
        return losses_and_cost(losses, cost or 0.0, weighted=self.weighted)

    def learning(self) -> list[str]:
        """Say what is granted in order to learn, and what that costs today."""
        if not self.price_cost > 0.0:
            return []
        learning = listed(f"{each.arm} {each.to_learn}" for each in self.reasons if each.to_learn)
        price = (
            f"a cost of {spoken(self.price_cost)}" if self.weighted else f"{spoken(self.price_cost)} losses"
        )
        return [f"Granted to learn: {learning}. Today that adds {price}."]

    def _groups(self) -> list[str]:
        """Say which groups' bounds limit amounts."""
        bounds = dict.fromkeys(each.binds for each in self.reasons if each.binds and " of " in each.binds)
        parts = [bound.partition(" of ") for bound in bounds]
        said = [f"{group} {'has' if kind == 'most' else 'must get'} its {kind}" for kind, _, group in parts]
        return [f"Groups: {'; '.join(said)}."] if said else []

    def changes(self) -> list[str]:
        """Say what changed since the previous plan."""
        if self.since is None:
            of = "" if self.situation is None else f" for {self.situation}"
            return [f"This is the first plan{of}."]
        reports = listed(self.because)
        news = f"Since then: {reports}." if reports else "Nothing was reported since then."
        if self.moved is None:
            said = [f"Plan {self.since} does not tell what was best without its orders. {news}"]
        elif not self.moved:
            said = [f"The best known plan has not changed since plan {self.since}. {news}"]
        else:
            moves = listed(f"{name} {then} → {now}" for name, then, now in self.moved)
            reason = f"Reason: {reports}." if reports else news
            said = [f"Since plan {self.since}, the best known plan moved: {moves}. {reason}"]
        orders = " orders of the day and" if self.orders else ""
        if self.control is not None:
            said.append("The plan has the amounts of the comparison plan, because this is a control round.")
        elif self.explored:
            said.append(f"Other differences come from{orders} the draw by which the policy learns.")
        elif self.orders:
            said.append("Other differences come from the orders of the day.")
        return said
