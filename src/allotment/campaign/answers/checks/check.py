"""All checks of a campaign."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from allotment.campaign.answers.checks.calendar_alarm import calendar_finding
from allotment.campaign.answers.checks.finding import Checkup, Finding
from allotment.campaign.answers.checks.past import course_of
from allotment.campaign.answers.checks.simulated import Course, compared
from allotment.campaign.answers.checks.warnings import drift_and_fit, too_early
from allotment.campaign.history.state import State


@dataclass(frozen=True, eq=False)
class Begun:
    """What the checks need of a history, so that the history may go on while they simulate."""

    campaign: str
    today: date
    calendar: Finding
    course: Course | None

    @classmethod
    def of(cls, state: State, today: date) -> "Begun":
        """Gather it."""
        return cls(state.settings.name, today, calendar_finding(state), course_of(state))

    def finished(self, progress: Callable[[float], None] = lambda share: None) -> Checkup:
        """Run all checks. The same history gives the same answer on the same date."""
        course = self.course
        if course is None or not course.is_long_enough:
            found = too_early(course)
        else:
            found = drift_and_fit(course, compared(course, progress))
        return Checkup(self.campaign, self.today, (self.calendar, *found))
