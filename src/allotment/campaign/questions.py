"""What can be asked of a campaign without anything being written."""

from collections.abc import Iterator
from typing import NamedTuple

from allotment.campaign.amounts import plain
from allotment.campaign.events import Event
from allotment.campaign.kept import Kept
from allotment.campaign.ledger import all_rows, tallied
from allotment.campaign.plan import Plan
from allotment.campaign.reasons import Explanation


class EvidenceRow(NamedTuple):
    """What was seen of an arm at one amount, in the user's units."""

    arm: str
    amount: int | float
    rounds: int | float
    losses: int | float


class Questions(Kept):
    """A campaign that answers."""

    def plan(self, plan_id: str) -> Plan:
        """A plan, and how far it has been reported."""
        with self._lock:
            state = self._current()
            record = state.plan(plan_id)
            event = self.store.event(self._number, record.asked)
            return Plan.of(event.payload, record, state.amounts, event.by, event.at)

    def waiting(self) -> Plan:
        """The only plan that awaits a report; an error that names them if there are several."""
        return self.plan(self._current().waiting().id)

    def evidence(self) -> list[EvidenceRow]:
        """What the history implies: rounds and losses by arm and amount, as they were reported."""
        with self._lock:
            state = self._current()
            tallies = tallied(all_rows(state.plans, state.imports), state.amounts)
            arms = state.settings.arms
        return [
            EvidenceRow(arms[each.arm].name, plain(each.amount), _number(each.rounds), _number(each.losses))
            for each in tallies
        ]

    def explain(self, plan_id: str) -> Explanation:
        """Why a plan is what it is, as it was stored with the plan."""
        with self._lock:
            record = self._current().plan(plan_id)
            return Explanation.of(self.store.event(self._number, record.asked).payload)

    def history(self) -> Iterator[Event]:
        """The events, first to last."""
        return self.store.events(self._number)


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
