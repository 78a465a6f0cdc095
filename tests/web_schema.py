"""Schemathesis over the whole API: requests that fit its description, and others, by each role."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded
from schemathesis import GenerationMode, checks

from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.store.store import Store
from web_api_serving import api_server

OWNER = Rights("root", PLANNER)
ROLES = {
    "nobody": None,
    "viewer": Rights("Vi", VIEWER),
    "recorder": Rights("Eve", RECORDER, 1, "town"),
    "planner": Rights("Bo", PLANNER, 1),
    "owner": Rights("Ada", PLANNER),
}
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
    checks.allow_header_conformance,
]
MAY_WRITE = {"nobody": set(), "viewer": set(), "recorder": {"told"}}


@dataclass
class Found:
    """What requests were answered with."""

    statuses: Counter = field(default_factory=Counter)
    cases: int = 0


def campaign_with_a_plan(store: Path) -> None:
    """Three places in two groups, with a plan that is partly reported."""
    groups = {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"]}}
    given = {"arms": ["Dock", "Gate", "Yard"], "budget": 6, "unit": 1, "most": 4, "seed": 1}
    with Campaign.create(store, "night", groups=groups, **given) as made:
        made.tell(made.ask().id, {"Dock": 1})


def check_api(store: Path, role: str, examples: int, seed: int) -> Found:
    """Call every operation of the API as a role; it must keep to its description, and write only its own."""
    campaign_with_a_plan(store)
    headers = {}
    if ROLES[role] is not None:
        with Store(store) as opened:
            headers["authorization"] = f"Bearer {Tokens(opened).add(ROLES[role], by=OWNER)[1]}"
    found = Found()
    with api_server(store) as address:
        description = requests.get(f"{address}/api/v1/openapi.json", timeout=60).json()
        schema = schemathesis.openapi.from_dict(description)
        for result in schema.get_all_operations():
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                _check(result.ok(), mode, f"{address}/api/v1", headers, found, examples, seed)
    with Campaign.open(store) as campaign:
        campaign.verify()
        kinds = {event.kind for event in campaign.history() if event.number > 3}
    assert kinds <= MAY_WRITE.get(role, kinds), f"a {role} wrote {kinds}"
    return found


def _check(operation, mode, base, headers, found, examples, seed) -> None:
    path_parameters = {"campaign": 1}
    if "{plan_id}" in operation.path:
        path_parameters["plan_id"] = "1"
    fixed = path_parameters if "{campaign}" in operation.path else None

    @seeded(seed)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(mode, path_parameters=fixed))
    def check(case) -> None:
        answer = case.call(base_url=base, headers=headers, timeout=120)
        found.cases += 1
        found.statuses[answer.status_code] += 1
        if answer.status_code == 503 and "retry-after" in answer.headers:
            return  # a request before it, of which the client heard no answer, is still being computed
        wanted = list(CHECKS)
        if headers and mode is GenerationMode.NEGATIVE and answer.status_code not in (403, 404):
            wanted.append(checks.negative_data_rejection)
        case.validate_response(answer, checks=wanted)

    check()
