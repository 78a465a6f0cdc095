"""Schemathesis over the whole API: requests that fit its description, and others, by each role."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from schemathesis.config import PositiveDataAcceptanceConfig

from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.store.store import Store
from running import PATIENCE_SECONDS
from web_api_serving import api_server

STEPS = 10  # of one way
OWNER = Rights("root", PLANNER)
ROLES = {
    "nobody": None,
    "viewer": Rights("Vi", VIEWER),
    "recorder": Rights("Eve", RECORDER, 1, "town"),
    "planner": Rights("Bo", PLANNER, 1),
    "owner": Rights("Ada", PLANNER),
}
# A request that fits its description can still contradict what is recorded, name what is not there, or be
# beyond someone's rights; and a server may be busy.
WHERE_THEY_BELONG = ["2xx", "401", "403", "404", "409", "422", "429", "503"]
MAY_WRITE = {"nobody": set(), "viewer": set(), "recorder": {"told"}}


@dataclass
class Found:
    """What requests were answered with."""

    statuses: Counter = field(default_factory=Counter)
    cases: int = 0
    steps: int = 0  # of these, on ways from one operation to the next


def campaign_with_a_plan(store: Path) -> None:
    """Three places in two groups, with a plan that is partly reported."""
    groups = {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"]}}
    given = {"arms": ["Dock", "Gate", "Yard"], "budget": 6, "unit": 1, "most": 4, "seed": 1}
    with Campaign.create(store, "night", groups=groups, **given) as made:
        made.tell(made.ask().id, {"Dock": 1})


def check_api(store: Path, role: str, examples: int, seed: int, walks: int = 1) -> Found:
    """Call every operation of the API as a role; it must keep to its description, and write only its own.

    All checks of Schemathesis apply. Then go `walks` ways from operation to operation, as links lead.
    """
    campaign_with_a_plan(store)
    headers = {}
    if ROLES[role] is not None:
        with Store(store) as opened:
            headers["Authorization"] = f"Bearer {Tokens(opened).add(ROLES[role], by=OWNER)[1]}"
    found = Found()
    with api_server(store, counts_attempts=False) as address:
        description = requests.get(f"{address}/api/v1/openapi.json", timeout=PATIENCE_SECONDS).json()
        options = {"base_url": f"{address}/api/v1", "headers": headers, "timeout": 120}
        schema = _schema(description)
        for result in schema.get_all_operations():
            _check(result.ok(), GenerationMode.POSITIVE, options, found, examples, seed)
        # where tokens are described, Schemathesis leaves them out, and hears 401 whatever else is wrong
        open_to_all = {name: part for name, part in description.items() if name != "security"}
        for result in _schema(open_to_all).get_all_operations():
            with suppress(Unsatisfiable):  # nothing in this request can be wrong
                _check(result.ok(), GenerationMode.NEGATIVE, options, found, examples, seed)
        _walk(schema, options, found, walks, seed)
    with Campaign.open(store) as campaign:
        campaign.verify()
        kinds = {event.kind for event in campaign.history() if event.number > 3}
    assert kinds <= MAY_WRITE.get(role, kinds), f"a {role} wrote {kinds}"
    return found


def _schema(description):
    schema = schemathesis.openapi.from_dict(description)
    allowed = PositiveDataAcceptanceConfig(expected_statuses=WHERE_THEY_BELONG)
    schema.config.checks.positive_data_acceptance = allowed
    return schema


def _check(operation, mode, options, found, examples, seed) -> None:
    path_parameters = {"campaign": 1}
    if "{plan_id}" in operation.path:
        path_parameters["plan_id"] = "1"
    fixed = path_parameters if "{campaign}" in operation.path else None

    @seeded(seed)
    @_quietly(examples)
    @given(case=operation.as_strategy(mode, path_parameters=fixed))
    def check(case) -> None:
        _validate(case, case.call(**options), options, found)

    check()


def _walk(schema, options, found, walks, seed) -> None:
    class Program(schema.as_state_machine()):
        """A program that goes on with what it was answered."""

        def get_call_kwargs(self, case):
            return options

        def validate_response(self, response, case, **_):
            found.steps += 1
            _validate(case, response, options, found)

    seeded(seed)(Program)
    Program.run(settings=_quietly(walks, stateful_step_count=STEPS))


def _validate(case, answer, options, found) -> None:
    found.cases += 1
    found.statuses[answer.status_code] += 1
    if answer.status_code == 503 and "retry-after" in answer.headers:
        return  # a request before it, of which the client heard no answer, is still being computed
    # whoever may not do or see something is told so before their data are looked at
    unseen = [checks.negative_data_rejection] if answer.status_code in (401, 403, 404) else []
    case.validate_response(answer, excluded_checks=unseen, headers=options["headers"])


def _quietly(examples, **options):
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        **options,
    )
