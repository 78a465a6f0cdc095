"""Errors as problem+json (RFC 9457)."""

from collections.abc import Mapping

from starlette.responses import Response

from allotment.web.requests.problems import PROBLEM_TYPE, Problem, problem_json


def problem_answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """A problem as an answer."""
    return Response(problem_json(problem), problem.status, headers, media_type=PROBLEM_TYPE)
