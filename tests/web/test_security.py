"""Requests that other programs and web sites could make are refused, each with a page that says why."""

import itertools

import pytest
from starlette.routing import Mount

from allotment.web.security.guard import SAFE
from allotment.web.security.headers import SECURITY_HEADERS
from allotment.web.security.limits import FORM_BYTES, UPLOAD_BYTES
from allotment.web.security.sessions import ABSOLUTE_SECONDS, IDLE_SECONDS, MemorySessions
from allotment.web.security.sign_in_codes import LIFE_SECONDS, SignInCodes


def unsafe_routes(application):
    """Every path and unsafe method that the pages have; the HTTP API knows neither forms nor cookies."""

    def walk(routes):
        for route in routes:
            if isinstance(route, Mount):
                continue
            yield route
            yield from walk(getattr(route, "routes", ()))
            yield from walk(getattr(getattr(route, "original_router", None), "routes", ()))

    for route in walk(application.routes):
        for method in sorted(set(getattr(route, "methods", None) or ()) - SAFE):
            yield method, route.path.replace("{number}", "1")


def test_every_answer_has_the_headers_errors_included(campaign, visitor, monkeypatch):
    monkeypatch.setattr("allotment.web.pages.today.routes.today_view", lambda *_: 1 / 0)
    answers = {
        200: visitor.get("/new"),
        303: visitor.get("/"),
        404: visitor.get("/c/9/today"),
        403: visitor.get("/", headers={"host": "evil.example"}),
        405: visitor.request("DELETE", "/static/style.css"),
        413: visitor.post("/sign-in", content=b"x" * (FORM_BYTES + 1)),
        415: visitor.post("/sign-in", content=b"x", headers={"content-encoding": "gzip"}),
        500: visitor.get("/c/1/today"),
    }
    for status, answer in answers.items():
        assert answer.status_code == status, answer.text
        for name, value in SECURITY_HEADERS:
            assert answer.headers[name.decode()] == value.decode()
    assert "ZeroDivisionError" not in answers[500].text
    assert "This should not happen." in answers[500].text


@pytest.mark.parametrize("path", ["/c/1/jobs/%00", "/c/1/import/a%0Ab", "/c/1/report/%1b", "/api/v1/%00"])
def test_an_address_with_control_characters_is_none_of_ours(campaign, visitor, path):
    assert visitor.get(path).status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:9999", "127.0.0.1", "localhost", ""])
def test_a_foreign_host_is_refused(visitor, host):
    assert visitor.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://localhost:8350"},  # ours, but not the host of this request
        {"origin": "null"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "http://127.0.0.1:8350", "sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_a_foreign_origin_is_refused(campaign, visitor, headers):
    fields = visitor.fields("/c/1/today")
    answer = visitor.post("/c/1/plans", data=fields, headers=headers)
    assert answer.status_code == 403
    assert campaign.latest() is None


def test_a_form_without_an_origin_is_refused(campaign, visitor):
    fields = visitor.fields("/c/1/today")
    del visitor.headers["origin"]
    assert visitor.post("/c/1/plans", data=fields).status_code == 403
    assert visitor.post("/c/1/plans", data=fields, headers={"origin": ""}).status_code == 403
    assert campaign.latest() is None


def test_a_foreign_site_with_a_foreign_host_writes_nothing(campaign, visitor):
    """As after DNS rebinding: host and origin are the other site's, and agree."""
    evil = {
        "host": "evil.example:8350",
        "origin": "http://evil.example:8350",
        "sec-fetch-site": "same-origin",
    }
    fields = visitor.fields("/c/1/today")
    assert visitor.post("/c/1/plans", data=fields, headers=evil).status_code == 403
    assert visitor.get("/c/1/today", headers=evil).status_code == 403
    assert campaign.latest() is None


def test_an_origin_that_the_browser_hides_is_taken_from_our_own_pages(campaign, visitor):
    hidden = {"origin": "null", "sec-fetch-site": "same-origin"}
    assert visitor.submit("/c/1/plans", seen="/c/1/today", headers=hidden).status_code == 303


def test_every_form_needs_the_token_of_its_session(campaign, visitor, desk):
    other, _ = desk.sessions.start("Eve")
    stolen = desk.sessions.find(other).csrf
    found = list(unsafe_routes(visitor.app.application))
    assert {("POST", f"/c/1/{each}") for each in ("plans", "import", "settings")} <= set(found)
    for method, path in found:
        if path == "/sign-in":  # which needs a code
            continue
        for token in ({}, {"csrf": ""}, {"csrf": "wrong"}, {"csrf": stolen}):
            answer = visitor.request(method, path, data={**token, "key": "0" * 32})
            assert answer.status_code == 403, f"{method} {path}"
    assert campaign.last_event == 1 and desk.sessions.find(other) is not None


def test_strangers_see_nothing_and_write_nothing(campaign, stranger):
    for path in ("/", "/new", "/c/1/today", "/c/1/settings", "/c/9/today"):
        answer = stranger.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert stranger.post("/c/1/plans", data={"csrf": "x"}).status_code == 403
    assert "night" not in stranger.get("/sign-in").text


def test_a_sign_in_code_works_once_and_for_five_minutes(clock):
    codes = SignInCodes(clock)
    first = codes.issue()
    clock.now += LIFE_SECONDS
    assert codes.redeem(first) and not codes.redeem(first)
    late = codes.issue()
    clock.now += LIFE_SECONDS + 1
    assert not codes.redeem(late)
    replaced = codes.issue()
    assert codes.redeem(codes.issue()) and not codes.redeem(replaced)


def test_opening_the_sign_in_page_uses_nothing_up(stranger, desk):
    code = desk.codes.issue()
    for _ in range(2):
        assert f'value="{code}"' in stranger.get("/sign-in", params={"code": code}).text
    assert stranger.post("/sign-in", data={"code": code}).status_code == 303


def test_a_guessed_code_signs_nobody_in(stranger, desk):
    code = desk.codes.issue()
    for guess in ("", "x", code[:-1], code + "x", code.lower()):
        answer = stranger.post("/sign-in", data={"code": guess})
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert len(code) >= 43 and code != desk.codes.issue()  # 256 bits, each time others
    code = desk.codes.issue()
    stranger.post("/sign-in", data={"code": "x"})
    assert stranger.post("/sign-in", data={"code": code}).status_code == 303  # a guess uses nothing up
    assert stranger.post("/sign-in", data={"code": code}).status_code == 403


def test_the_cookie_of_a_session(stranger, desk):
    cookie = stranger.post("/sign-in", data={"code": desk.codes.issue()}).headers["set-cookie"]
    assert cookie.startswith("allotment-8350=")
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Path=/"))
    assert len(cookie.partition("=")[2].partition(";")[0]) >= 43  # 256 bits


def test_a_tampered_cookie_signs_nobody_in(campaign, visitor, desk):
    identifier = visitor.cookies[desk.cookie]
    (digest,) = (each.digest for each in desk.sessions.live())  # which whoever reads the book knows
    fields = visitor.fields("/c/1/today")
    changed = f"{'B' if identifier[0] == 'A' else 'A'}{identifier[1:]}"
    for wrong in (identifier[:-1], identifier + "A", identifier.swapcase(), changed, digest, "", "x" * 5000):
        visitor.cookies.clear()
        visitor.cookies.set(desk.cookie, wrong)
        assert visitor.get("/c/1/today").headers["location"] == "/sign-in"
        assert visitor.post("/c/1/plans", data=fields).status_code == 403
    visitor.cookies.clear()
    visitor.cookies.set("allotment-1", identifier)  # of another port
    assert visitor.get("/c/1/today").headers["location"] == "/sign-in"
    assert campaign.latest() is None


def test_a_session_ends_when_idle_and_after_a_week(clock):
    sessions = MemorySessions(clock)
    idle, _ = sessions.start("Ada")
    clock.now += IDLE_SECONDS + 1
    assert sessions.find(idle) is None
    used, _ = sessions.start("Ada")
    for _ in range(ABSOLUTE_SECONDS // IDLE_SECONDS):
        assert sessions.find(used) is not None
        clock.now += IDLE_SECONDS
    clock.now += 1
    assert sessions.find(used) is None


def test_identifiers_are_kept_as_hashes_only():
    sessions = MemorySessions()
    identifier, session = sessions.start("Ada")
    assert identifier not in repr(vars(sessions)) and identifier != session.csrf


def test_signing_out_ends_the_session(campaign, visitor, desk):
    identifier = visitor.cookies[desk.cookie]
    assert visitor.submit("/sign-out", seen="/c/1/today").status_code == 303
    assert desk.sessions.find(identifier) is None


def test_a_body_that_does_not_say_how_long_it_is_is_counted(visitor):
    blocks = itertools.repeat(b"x" * 2**16, FORM_BYTES // 2**16 + 2)
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert visitor.post("/sign-in", content=blocks, headers=form).status_code == 413
    blocks = itertools.repeat(b"x" * 2**20, UPLOAD_BYTES // 2**20 + 2)
    form = {"content-type": "multipart/form-data; boundary=x"}
    assert visitor.post("/new", content=blocks, headers=form).status_code == 413


def test_nothing_of_fastapi_is_shown(visitor):
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert visitor.get(path).status_code == 404


def test_a_request_that_says_twice_how_long_it_is_is_refused(visitor):
    """Programs in between may cut such a request elsewhere than we do, and take its rest for another one."""
    both = {"transfer-encoding": "chunked", "content-length": "1"}
    answer = visitor.post("/sign-in", content=b"x", headers=both)
    assert answer.status_code == 400 and "two ways" in answer.text


@pytest.mark.parametrize("path", ["/health", "/new", "/static/style.css", "/c/1/today"])
def test_head_gets_the_headers_of_get(campaign, visitor, path):
    whole, head = visitor.get(path), visitor.head(path)
    assert head.status_code == whole.status_code == 200 and head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]
