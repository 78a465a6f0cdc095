"""Templates become pages. Everything in a template is escaped, unless our own code marked it as markup."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from allotment.campaign.forms import names
from allotment.campaign.forms.answer import cell, short
from allotment.web.rendering.assets import asset_path
from allotment.web.rendering.navigation import sections_for
from allotment.web.requests.forms import new_key
from allotment.web.requests.problems import PROBLEM_TYPE, Problem, problem_json
from allotment.web.security.guard import API

HERE = Path(__file__).parents[1]


@cache
def _templates() -> Environment:
    """The templates: `templates/` has what pages share; each page has its own beside its routes."""
    made = Environment(
        loader=FileSystemLoader([HERE / "templates", HERE / "pages"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"amount": cell, "short": short, "day": day_in_words, "clock": clock}
    made.globals |= {"asset": asset_path, "new_key": new_key}
    return made


def page(request: Request, template: str, view: Any, *, status: int = 200) -> HTMLResponse:
    """A page: `template` is its file, such as today/today.html, and `view` what it shows."""
    return HTMLResponse(_render(template, {"view": view, **_surroundings(request)}), status_code=status)


def problem_page(request: Request, problem: Problem) -> HTMLResponse:
    """The page of an error, with the navigation that the visitor knows."""
    context = {"problem": problem, **_surroundings(request, taking=False)}
    return HTMLResponse(_render("problem.html", context), status_code=problem.status)


def refusal(path: str, status: int, sentence: str) -> tuple[bytes, bytes]:
    """The answer to a request that the guard refuses, and its type: nobody knows who sent it."""
    problem = Problem.of(status, sentence)
    if path.startswith(API):
        return problem_json(problem), PROBLEM_TYPE.encode()
    return _render("refusal.html", {"problem": problem}).encode(), b"text/html; charset=utf-8"


def _render(template: str, context: Mapping[str, Any]) -> str:
    return _templates().get_template(template).render(context)


def _surroundings(request: Request, *, taking: bool = True) -> dict[str, Any]:
    """What stands around every page: who is signed in, where, what was just done, what is going on."""
    session = getattr(request.state, "session", None)
    visit = getattr(request.state, "visit", None)
    return {
        "session": session,
        "visit": visit,
        "sections": () if session is None else sections_for(session.rights),
        "here": request.url.path,
        "notices": session.taken_notices() if session is not None and taking else [],
        "running": visit.desk.jobs.running(visit) if visit is not None else [],
    }


def day_in_words(day: date) -> str:
    """A date as a title: Tuesday, 17 November 2026."""
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


def clock(at: datetime, timezone: str) -> str:
    """A moment in the campaign's time zone: 17 November 2026, 02:14."""
    there = at.astimezone(names.zone(timezone))
    return f"{there.day} {there:%B} {there.year}, {there:%H:%M}"
