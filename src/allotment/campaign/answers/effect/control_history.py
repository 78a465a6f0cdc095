"""The compared rounds of a campaign, from its history."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.campaign.answers.effect.effect import Awaiting, Effect, effect_of
from allotment.campaign.forms.amounts import listed
from allotment.campaign.history.ledger import ImportRecord, corrected_reports
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.plan_records import PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.compared_rounds import ComparedRound
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.settings.control import EQUAL, plan_in_words
from allotment.campaign.settings.settings import Settings
from allotment.errors import NotFoundError

Control = Mapping[str, Any]


class MadePlan(NamedTuple):
    """A plan with a lot, and what its event stores."""

    record: PlanRecord
    stored: PlanPayload


@dataclass(frozen=True)
class Night:
    """All plans of one lot, that is of one date and situation, in the order in which they were made."""

    plans: tuple[MadePlan, ...]

    @property
    def control(self) -> Control:
        """What the first plan fixed."""
        return _control(self.plans[0])

    @property
    def carried_out(self) -> MadePlan | None:
        """The first plan or, if it was cancelled, a plan that was made after that. None if there is none.

        A further plan beside the first one does not count.
        """
        cancelled = 0
        for made in self.plans:
            if made.record.asked >= cancelled:
                if not made.record.cancelled:
                    return made
                cancelled = made.record.cancelled
        return None

    @property
    def open(self) -> PlanRecord | None:
        """The plan that still awaits reports; None if none does."""
        made = self.carried_out
        return made.record if made is not None and made.record.open else None

    def compared(self, settings: Settings, corrections: Sequence[ImportRecord]) -> ComparedRound:
        """The night as one round of the comparison, with the places of its first plan.

        A place without a report counts as it was expected. If all plans were cancelled, every place does.
        """
        first, made, control = self.plans[0], self.carried_out, self.control
        told = {} if made is None else _told(made.record, corrections)
        expected = {**_expected(first), **({} if made is None else _expected(made))}
        arms = first.record.arms.tolist()
        missing = [arm for arm in arms if arm not in told]
        known = sum(told[arm] for arm in arms if arm in told)
        return ComparedRound(
            date=first.record.date,
            situation=settings.situations.name(first.record.recorded),
            drawn=control["drawn"],
            share=float(control["share"]),
            expected_plan=control["expected_plan"],
            expected_comparison=control["expected_comparison"],
            losses=known + sum(expected[arm] for arm in missing),
            least_losses=known,
            most_losses=known + len(missing) * settings.most_losses,
            missing=len(missing),
            places=len(arms),
        )


def _told(record: PlanRecord, corrections: Sequence[ImportRecord]) -> dict[int, float]:
    """The losses of each arm that was reported, as imports have corrected them."""
    rows = corrected_reports([record], corrections)
    found: dict[int, float] = {}
    for arm, losses in zip(rows.arm.tolist(), rows.losses.tolist(), strict=True):
        found[arm] = found.get(arm, 0.0) + losses
    return found


def _expected(made: MadePlan) -> dict[int, float]:
    """The losses that a plan expected of each arm."""
    assert made.stored.tables is not None  # version 1 had no lots
    columns = made.record.arms.tolist(), made.stored.tables.losses, made.stored.units
    return {arm: row[count] for arm, row, count in zip(*columns, strict=True)}


def _control(made: MadePlan) -> Control:
    assert made.stored.control is not None  # it has a lot
    return made.stored.control


def effect_in(state: State, stored: Mapping[int, PlanPayload]) -> Effect:
    """The effect of plans in the newest comparison, up to the first night that awaits reports.

    `stored` are the plans with lots, by their events.
    """
    nights, settings = _newest_comparison(state, stored), state.settings
    if not nights and settings.control is not None:
        raise NotFoundError(
            "control rounds are on, but no plan has been made since; make a plan first", what="control rounds"
        )
    corrections = [each for each in state.imports if each.live and each.replaced.size]
    rounds, awaiting = list[ComparedRound](), None
    for number, night in enumerate(nights):
        if (waiting := night.open) is not None:
            awaiting = Awaiting(waiting.id, waiting.date, len(nights) - number - 1)
            break
        rounds.append(night.compared(settings, corrections))
    control: Control = nights[0].control if nights else {"below": 1.0, "above": 1.0, "plan": EQUAL}
    return effect_of(
        rounds,
        control["below"],
        control["above"],
        compared_with=_in_words(control["plan"]),
        awaiting=awaiting,
        weighted=is_weighted(settings),
        has_ended=bool(nights) and (settings.control is None or settings.control.id != control["id"]),
    )


def _in_words(plan: Any) -> str:
    """A comparison plan in a sentence."""
    if isinstance(plan, str):
        return "an equal split" if plan == EQUAL else plan_in_words(plan)
    return listed(f"{name} {amount}" for name, amount in plan.items())


def _newest_comparison(state: State, stored: Mapping[int, PlanPayload]) -> list[Night]:
    """The nights of the newest comparison, in the order of their first plans."""
    nights, newest = dict[str, list[MadePlan]](), None
    for made in _with_lots(state, stored):
        control = _control(made)
        nights.setdefault(control["first"], []).append(made)
        if made.stored.id == control["first"]:
            newest = control["id"]
    found = [Night(tuple(plans)) for plans in nights.values()]
    return [night for night in found if night.control["id"] == newest]


def _with_lots(state: State, stored: Mapping[int, PlanPayload]) -> Iterator[MadePlan]:
    for record in state.plans:
        if record.asked in stored:
            yield MadePlan(record, stored[record.asked])
