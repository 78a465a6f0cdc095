"""Trials: a change of settings that is tried as long work, and kept only if the visitor says so."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import RedirectResponse

from allotment.campaign.answers.change_words import changes_back, meaning_of, real_changes
from allotment.campaign.answers.event_words import Difference
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import BY_NAME
from allotment.errors import InputError, NotFoundError
from allotment.web.requests.visits import Visit
from allotment.web.work.jobs import Running, follow
from allotment.web.work.plain_records import json_of, record_of

KIND = "what-if"


@dataclass
class Trial:
    """A change on trial."""

    changes: dict[str, Any]
    back_changes: dict[str, Any]  # what restores the settings as they were; empty if nothing does
    before: str  # the digest of the settings that it was tried on
    meaning: tuple[str, ...]
    differences: tuple[Difference, ...]
    tried: TriedPlan | None  # None: no place is active, or no plan depends on the change
    origin: str  # the page that it was asked for on
    after: str | None = None  # the digest of the settings with the change, while it is kept

    @property
    def kept(self) -> bool:
        """Whether the change is in force."""
        return self.after is not None


def try_changes(
    visit: Visit,
    given: Mapping[str, Any],
    origin: str,
    situation: str | None = None,
    *,
    said: Sequence[str] = (),
) -> RedirectResponse:
    """Try a change as `Campaign.change` takes it; the browser goes on to the page of the trial.

    The plan that would follow is that of a situation, by default of the first one of today. What is `said`
    stands before what the change means.
    """
    campaign, settings = visit.campaign, visit.campaign.settings
    changes = real_changes(settings, given)
    if not changes:
        wanted = "another value in one of the fields"
        raise InputError("nothing differs from the settings as they are", wanted, what="change")
    differences = campaign.try_change(**changes)
    meaning, back = (*said, *meaning_of(settings, changes)), changes_back(settings, changes)

    def work(running: Running) -> str:
        is_planned = settings.active and any(BY_NAME[name].of_usual_plans for name in changes)
        asked = {**changes, "situation": situation}
        tried = visit.dear.answer(TriedPlan, "what_if", **asked) if is_planned else None
        trial = Trial(changes, back, digest_of(settings), meaning, differences, tried, origin)
        running.result = json_of(trial)
        return path_of(visit, running.id)

    title, arguments = "Trying the change", (repr(changes), repr(situation))
    return follow(visit.desk.jobs.start(visit, KIND, title, work, arguments=arguments, back=origin))


def path_of(visit: Visit, id: str) -> str:  # noqa: A002 - as in addresses
    """The page of a trial."""
    return f"{visit.path}/trials/{id}"


def trial_of(visit: Visit, id: str) -> Trial:  # noqa: A002 - as in addresses
    """A trial of this person."""
    job = visit.desk.jobs.find(visit, id)
    found = visit.desk.jobs.rows.result(id) if job.kind == KIND else None
    if found is None:
        raise NotFoundError("this trial is no longer known", "to try the change again", what="trial")
    trial: Trial = record_of(Trial, found)
    return trial


def remember(visit: Visit, id: str, trial: Trial) -> None:  # noqa: A002 - as in addresses
    """Keep what became of a trial."""
    visit.desk.jobs.rows.change(id, result=json_of(trial))


def digest_of(settings: Settings) -> str:
    """A digest that differs if settings do."""
    text = json.dumps(settings.to_dict(), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
