"""Trials: a change of settings that is tried as long work, and kept only if the visitor says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import RedirectResponse

from allotment.campaign.answers.change_words import changes_back, meaning_of, real_changes
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.campaign.settings import Settings
from allotment.errors import InputError, NotFoundError
from allotment.web.jobs import Job, follow
from allotment.web.visits import Visit

KIND = "what-if"


@dataclass
class Trial:
    """A change on trial. `kept` says whether it is in force."""

    changes: dict[str, Any]
    back_changes: dict[str, Any]  # what restores the settings as they were
    before: Settings
    meaning: tuple[str, ...]
    tried: TriedPlan | None  # None: no place is active, so that there is no plan
    origin: str  # the page that it was asked for on
    kept: bool = False


def try_changes(visit: Visit, given: Mapping[str, Any], origin: str) -> RedirectResponse:
    """Try a change as `Campaign.change` takes it; the browser goes on to the page of the trial."""
    campaign, settings = visit.campaign, visit.campaign.settings
    changes = real_changes(settings, given)
    if not changes:
        raise InputError("nothing differs from the settings as they are", "another value", what="change")
    meaning = tuple(meaning_of(settings, changes))

    def work(job: Job) -> str:
        tried = campaign.what_if(**changes) if settings.active else None
        back = changes_back(settings, changes)
        job.result = Trial(changes, back, settings, meaning, tried, origin)
        return path_of(visit, job.id)

    title = "Trying the change"
    return follow(visit.desk.jobs.start(visit, KIND, title, work, arguments=(repr(changes),), back=origin))


def path_of(visit: Visit, id: str) -> str:  # noqa: A002 - as in addresses
    """The page of a trial."""
    return f"{visit.path}/budget/trials/{id}"


def trial_of(visit: Visit, id: str) -> Trial:  # noqa: A002 - as in addresses
    """A trial of this session."""
    found = visit.desk.jobs.find(visit, id).result
    if not isinstance(found, Trial):
        raise NotFoundError("this trial is no longer known", "to try the change again", what="trial")
    return found
