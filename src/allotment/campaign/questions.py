"""What can be asked of a campaign without anything being written."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from allotment.campaign.amounts import plain
from allotment.campaign.answers.forecast import Forecast, forecast_of
from allotment.campaign.answers.frontier import Frontier, frontier_of
from allotment.campaign.answers.status import Status, status_of
from allotment.campaign.changes import change_of, changed
from allotment.campaign.history.events import Event, chained
from allotment.campaign.history.ledger import all_rows, tallied
from allotment.campaign.kept import Kept
from allotment.campaign.planning.asking import Situation, planned
from allotment.campaign.planning.plan import Plan
from allotment.campaign.planning.plan_bounds import Wishes, bounds_of
from allotment.campaign.planning.plan_inputs import situation_of
from allotment.campaign.planning.reasons import Explanation
from allotment.campaign.settings import Settings
from allotment.checks import flag
from allotment.errors import NotFoundError
from allotment.plots.outlines import draw_outlines

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    def draw_map(self, plan_id: str) -> "Figure":
        """Draw a plan on a map, for places whose shapes are known."""
        plan, settings = self.plan(plan_id), self.settings
        shapes = {name: settings.arms[settings.find(name)].shape for name in plan.amounts}
        known = {name: shape for name, shape in shapes.items() if shape is not None}
        if not known:
            raise NotFoundError(
                "no place has a shape", "shapes= at the beginning, or change(shapes=)", what="shapes"
            )
        return draw_outlines(known, plan.amounts, f"Granted on {plan.date}")

    @property
    def last_plan(self) -> str:
        """The id of the last plan; an error if there is none."""
        state = self._current()
        return state.plan(str(len(state.plans))).id

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

    def status(self) -> Status:
        """What is known of every arm today: losses if left alone, and what each amount prevents."""
        with self._lock:
            situation = self._situation()
            waiting = tuple(plan.id for plan in self._current().plans if plan.open)
        return status_of(situation, waiting)

    def frontier(self) -> Frontier:
        """Expected losses against budget, and what one unit more would prevent."""
        situation = self._situation()
        return frontier_of(situation.settings, situation.tallies)

    def what_if(self, **changes: Any) -> Plan:
        """The plan that would come next if something were otherwise; nothing is written.

        Takes what `change` takes, and what `ask` does.
        """
        wishes: dict[str, Any] = {}
        for name in ("exclude", "require", "fix"):
            if name in changes:
                wishes[name] = changes.pop(name)
        explore = flag("explore", changes.pop("explore", True))
        day, settings = changes.pop("date", None), self.settings
        if changes:
            settings = changed(settings, change_of(settings, changes)).checked()
        situation = self._situation(day, settings)
        asked: dict[str, Any] = {"budget": None, "exclude": (), "require": (), "fix": None, **wishes}
        return Plan.of(planned(situation, bounds_of(settings, Wishes.of(settings, **asked)), explore=explore))

    def forecast(self, rounds: int) -> Forecast:
        """Losses to expect in the next rounds: with this policy, and with what else one might do."""
        return forecast_of(self._situation(), rounds)

    def _situation(self, day: Any = None, settings: Settings | None = None) -> Situation:
        with self._lock:
            return situation_of(self._current(), self.store, self._number, day, settings)

    def explain(self, plan_id: str) -> Explanation:
        """Why a plan is what it is, as it was stored with the plan."""
        with self._lock:
            record = self._current().plan(plan_id)
            return Explanation.of(self.store.event(self._number, record.asked).payload)

    def history(self) -> Iterator[Event]:
        """The events, first to last, each checked against the one before."""
        return chained(self.store.events(self._number))


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
