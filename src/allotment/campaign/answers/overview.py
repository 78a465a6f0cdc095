"""The overview of a campaign: yesterday, today, and the command to run next."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import ClassVar

from allotment.campaign.forms.amounts import listed, plain
from allotment.campaign.forms.answer import Record, Sentence
from allotment.campaign.history.plan_records import CLOSED, PARTLY_TOLD, TOLD, WAITING
from allotment.campaign.history.state import State
from allotment.campaign.planning.plan import BriefPlan, in_brief, plan_words
from allotment.campaign.settings.sentences import each_budget

OTHER_DATES = "plans of other dates"  # a topic of sentences


@dataclass(frozen=True)
class Overview(Record):
    """The plans of yesterday and today, and open plans of other dates. Cancelled plans are left out."""

    computed: ClassVar = ("next",)

    campaign: str
    store: str
    places: int
    budget: int | float
    today: date
    yesterday_plans: tuple[BriefPlan, ...]
    today_plans: tuple[BriefPlan, ...]
    other_open_plans: tuple[BriefPlan, ...]
    today_situations: tuple[str, ...] = ()  # by the calendar; empty if the campaign has none
    today_budgets: Mapping[str, int | float] = field(default_factory=dict)  # by situation, if they differ

    def sentences(self) -> list[str]:
        """What there is to say, a day a sentence."""
        yesterday, today = _day(self.yesterday_plans, "no plan"), _day(self.today_plans, "no plan yet")
        said = [
            f"{self.campaign}: {self.places} places, {self.to_grant} to grant in a round.",
            f"Yesterday: {yesterday}. Today{self._situations()}: {today}.",
        ]
        older = [each for each in self.other_open_plans if each.date < self.today]
        ahead = [each for each in self.other_open_plans if each.date > self.today]
        if older:
            what = f"{len(older)} other {'plan awaits' if len(older) == 1 else 'plans await'} reports"
            said.append(Sentence(f"{what}; the oldest is {older[0]}.", OTHER_DATES))
        if ahead:
            plans = listed(plan_words(each.id, each.date, each.situation) for each in ahead)
            said.append(Sentence(f"Planned ahead: {plans}.", OTHER_DATES))
        return said

    @property
    def to_grant(self) -> str:
        """The budget of a round; each one with its situation, if they differ today."""
        return each_budget(self.today_budgets) if self.today_budgets else str(self.budget)

    def _situations(self) -> str:
        return f" ({', '.join(self.today_situations)})" if self.today_situations else ""

    @property
    def unplanned_situations(self) -> tuple[str, ...]:
        """The situations of today that have no plan yet."""
        planned = {each.situation for each in self.today_plans}
        return tuple(each for each in self.today_situations if each not in planned)

    @staticmethod
    def in_words(plans: tuple[BriefPlan, ...], otherwise: str) -> str:
        """The plans of a day, in words; `otherwise` if there are none."""
        return _day(plans, otherwise)

    @property
    def next(self) -> list[tuple[str, str]]:
        """What `next_steps` gives, for machines."""
        return self.next_steps()

    def next_steps(self) -> list[tuple[str, str]]:
        """What to do next: each step in words, and its command."""
        store, steps = shlex.quote(self.store), list[tuple[str, str]]()
        if any(_is_open(each) for each in self.yesterday_plans):
            steps.append(("Report yesterday", f"allotment tell {store} --date yesterday"))
        plans = "plans" if len(self.today_situations) > 1 else "plan"
        if not self.today_plans:
            steps.append((f"Make today's {plans}", f"allotment ask {store}"))
        elif self.unplanned_situations:
            steps.append((f"Make the plan for {listed(self.unplanned_situations)}", f"allotment ask {store}"))
        else:
            steps.append((f"Show today's {plans}", f"allotment show {store}"))
        if any(_is_open(each) for each in self.today_plans):
            steps.append(("Report today", f"allotment tell {store} --date today"))
        if any(each.date < self.today for each in self.other_open_plans):
            steps.append(("Close older plans", f"allotment close {store} --before yesterday"))
        return steps


def overview_of(state: State, store: str) -> Overview:
    """Where things stand at the end of a history."""
    settings = state.settings
    today, yesterday = settings.day("today"), settings.day("yesterday")
    budgets = {
        name: plain(settings.within(number).budget)
        for number in settings.situations.on(today)
        if (name := settings.situations.name(number)) is not None
    }
    valid = [plan for plan in state.plans if not plan.cancelled]
    return Overview(
        campaign=settings.name,
        store=store,
        places=len(settings.active),
        budget=next(iter(budgets.values()), plain(settings.budget)),
        today=today,
        yesterday_plans=in_brief((plan for plan in valid if plan.date == yesterday), settings),
        today_plans=in_brief((plan for plan in valid if plan.date == today), settings),
        other_open_plans=in_brief(
            (plan for plan in valid if plan.open and plan.date not in (today, yesterday)), settings
        ),
        today_budgets=budgets if len(set(budgets.values())) > 1 else {},
        today_situations=tuple(budgets),
    )


def _is_open(plan: BriefPlan) -> bool:
    return plan.state in (WAITING, PARTLY_TOLD)


def _day(plans: tuple[BriefPlan, ...], otherwise: str) -> str:
    """The plans of a day, in words."""
    if not plans:
        return otherwise
    if len(plans) == 1:
        return _reported(plans[0])
    return "; ".join(f"plan {_called(each)}: {_reported(each)}" for each in plans)


def _called(plan: BriefPlan) -> str:
    return plan.id if plan.situation is None else f"{plan.id} ({plan.situation})"


def _reported(plan: BriefPlan) -> str:
    if plan.state == TOLD:
        return "fully reported"
    missing = f"{plan.missing} of {plan.places} places not reported"
    return f"closed, {missing}" if plan.state == CLOSED else missing
