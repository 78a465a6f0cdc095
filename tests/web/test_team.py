"""A server for a team: people sign in with tokens and links, see what is theirs, and do what they may."""

import re
from datetime import timedelta

import pytest

from allotment import Campaign, StoreError
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.forms import names
from allotment.web.requests.forms import key_of
from allotment.web.security.attempts import MOST_FAILURES, WINDOW_SECONDS, Attempts, TooManyAttemptsError
from allotment.web.security.front import Front
from allotment.web.security.sessions import ABSOLUTE_SECONDS, IDLE_SECONDS
from allotment.web.security.sign_in_links import LIFE_SECONDS, SignInLinks
from allotment.web.security.stored_sessions import RECORDER_SECONDS, StoredSessions
from web.conftest import Visitor
from web.test_security import unsafe_routes

OWNER = Rights("root", PLANNER)
NAME = "station.example"
PROXY = "10.0.0.1"


@pytest.fixture
def team(campaign, desk):
    """A desk with a second campaign, open to a team."""
    Campaign.create(desk.campaigns.store.name, "day", arms=["Hall"], budget=1, unit=1, most=1, seed=2).close()
    desk.open_to(Front.of_team([NAME], 443, lasting_https=True))
    return desk


@pytest.fixture
def sign_in(team):
    """Signs someone in by a new token."""
    opened = []

    def sign_in(rights):
        _, text = team.team.tokens.add(rights, by=OWNER)
        visitor = Visitor(team)
        visitor.__enter__()
        opened.append(visitor)
        assert visitor.post("/sign-in", data={"token": text}).status_code == 303
        return visitor

    yield sign_in
    for each in opened:
        each.__exit__(None, None, None)


@pytest.fixture
def outsider(team):
    with Visitor(team) as visitor:
        yield visitor


def token_of(visitor):
    """The CSRF token of a visitor's session."""
    return visitor.desk.sessions.find(visitor.cookies[visitor.desk.cookie]).csrf


def report(visitor, plan, place, losses, *, knew=0, key=None):
    said = {"place": place, "losses": losses, "says_losses": 1, "knew": knew}
    said |= {"csrf": token_of(visitor), "key": key or key_of(str(visitor), place, losses, knew)}
    return visitor.post(f"/c/1/report/{plan}/entries", data=said)


def test_the_cookie_and_the_headers_of_a_team(team, outsider):
    _, text = team.team.tokens.add(Rights("Ada", PLANNER), by=OWNER)
    answer = outsider.post("/sign-in", data={"token": text})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-allotment=") and "Domain" not in cookie
    assert all(part in cookie for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    team.open_to(Front.of_team([NAME], 443, lasting_https=False))  # a certificate that browsers do not trust
    with Visitor(team) as visitor:
        assert "strict-transport-security" not in visitor.get("/sign-in").headers


def test_a_sign_in_code_of_the_machine_signs_nobody_in_to_a_team(team, outsider):
    assert outsider.post("/sign-in", data={"code": team.codes.issue()}).status_code == 403


def test_an_origin_without_https_is_refused(sign_in):
    ada = sign_in(Rights("Ada", PLANNER))
    fields = ada.fields("/c/1/today")
    assert ada.post("/c/1/plans", data=fields, headers={"origin": f"http://{NAME}"}).status_code == 403


def test_a_revoked_and_an_expired_token_sign_nobody_in_and_end_their_sessions(team, outsider, sign_in):
    ada = sign_in(Rights("Ada", PLANNER))
    assert ada.get("/c/1/today").status_code == 200
    team.team.tokens.revoke("Ada", by=OWNER)
    assert ada.get("/c/1/today").headers["location"] == "/sign-in"
    today = names.now().date()
    _, text = team.team.tokens.add(Rights("Bo", VIEWER), until=today, by=OWNER)
    assert outsider.post("/sign-in", data={"token": text}).status_code == 303
    team.team.tokens.clock = lambda: names.now() + timedelta(days=1)
    assert outsider.get("/c/1/today").headers["location"] == "/sign-in"
    assert outsider.post("/sign-in", data={"token": text}).status_code == 403


def test_wrong_tokens_meet_a_wall_and_cause_no_write(team, outsider):
    with team.campaigns.store.engine.connect() as connection:  # versions of two connections do not compare
        before = connection.exec_driver_sql("PRAGMA data_version").scalar()
        for _ in range(MOST_FAILURES):
            assert outsider.post("/sign-in", data={"token": "al_000000000000_" + "x" * 43}).status_code == 403
        answer = outsider.post("/sign-in", data={"token": "wrong"})
        assert answer.status_code == 429 and int(answer.headers["retry-after"]) > 0
        assert connection.exec_driver_sql("PRAGMA data_version").scalar() == before


def test_pages_of_other_sites_cannot_lock_anyone_out(team, outsider):
    foreign = {"sec-fetch-site": "cross-site"}  # as of a picture with this address
    for _ in range(MOST_FAILURES + 1):
        assert outsider.get("/sign-in?link=wrong", headers=foreign).status_code == 403
    _, text = team.team.tokens.add(Rights("Ada", PLANNER), by=OWNER)
    assert outsider.post("/sign-in", data={"token": text}).status_code == 303


def test_attempts_are_counted_by_household_and_forgotten(clock):
    attempts = Attempts(clock)
    for number in range(MOST_FAILURES):
        attempts.fail(f"2001:db8:1:2::{number}")
        attempts.fail(f"192.0.2.{number}")
    with pytest.raises(TooManyAttemptsError):
        attempts.fail("2001:db8:1:2::ffff")
    attempts.fail("2001:db8:1:3::1")
    attempts.fail("192.0.2.1")
    clock.now += WINDOW_SECONDS + 1
    attempts.fail("2001:db8:1:2::ffff")


def test_what_others_guess_shuts_no_right_token_out(team, outsider):
    _, text = team.team.tokens.add(Rights("Ada", PLANNER), by=OWNER)
    for _ in range(MOST_FAILURES + 5):
        outsider.post("/sign-in", data={"token": "wrong"})
        outsider.get("/api/v1/campaigns", headers={"authorization": "Bearer wrong"})
    assert outsider.get("/api/v1/campaigns", headers={"authorization": f"Bearer {text}"}).status_code == 200
    assert outsider.post("/sign-in", data={"token": text}).status_code == 303


def test_a_campaign_that_is_not_yours_does_not_exist(sign_in):
    bo = sign_in(Rights("Bo", VIEWER, 1))
    assert bo.get("/").headers["location"] == "/c/1/today"
    for path in ("/c/2/today", "/c/2/history/export.jsonl", "/c/02/today", "/c/9/today"):
        answer = bo.get(path)
        assert answer.status_code == 404 and "day" not in re.sub("today", "", answer.text).split("<main")[1]


def test_a_viewer_reads_and_writes_nothing(campaign, sign_in):
    plan = campaign.ask().id
    bo = sign_in(Rights("Bo", VIEWER))
    for path in ("today", "places", "budget", "record", "record/print", "history", f"plans/{plan}"):
        assert bo.get(f"/c/1/{path}").status_code == 200
    for path in ("report", f"report/{plan}", "import", "settings", "settings/people"):
        assert bo.get(f"/c/1/{path}").status_code == 403
    assert bo.get("/new").status_code == 403
    assert bo.get("/c/01/settings").status_code == 403  # another way to write the same address
    text = bo.get("/c/1/today").text
    assert "Make" not in text and "/report" not in text.replace("data-path", "")


@pytest.mark.parametrize("rights", [Rights("Bo", VIEWER), Rights("Bo", RECORDER), Rights("Bo", PLANNER, 2)])
def test_no_form_writes_beyond_a_role(campaign, team, sign_in, rights):
    """Every form of the application, with a token that is right."""
    plan = campaign.ask().id
    someone, before = sign_in(rights), campaign.last_event
    tokens = len(team.team.tokens.all())
    for method, path in unsafe_routes(someone.app.application):
        if path == "/sign-in" or path == "/sign-out" or path.startswith("/api"):
            continue
        path = path.replace("{plan_id}", plan).replace("{what}", "most")
        data = {
            "csrf": token_of(someone),
            "key": key_of(path),
            "name": "Dock",
            "role": "planner",
            "tap": "0:1:0",
        }
        if rights.role == RECORDER and "/report/" in path:
            continue
        answer = someone.request(method, path, data=data)
        looks = rights.role == VIEWER and ("budget/" in path or path.endswith("orders/check"))
        assert answer.status_code in (403, 404) or looks, f"{method} {path}: {answer.status_code}"
    assert campaign.last_event == before and len(team.team.tokens.all()) == tokens


def test_a_recorder_sees_the_report_of_a_group_only(campaign, sign_in):
    plan = campaign.ask().id
    eve = sign_in(Rights("Eve", RECORDER, 1, "town"))
    assert eve.get("/").headers["location"] == "/c/1/report"
    text = eve.get("/c/1/report").text
    assert "Gate" in text and "Yard" in text and "Dock" not in text and "Cancel the plan" not in text
    unseen = ("today", "places", "history", "history/export.jsonl", f"plans/{plan}/sheet.html", "budget")
    for path in (*unseen, "record", "record/print"):
        assert eve.get(f"/c/1/{path}").status_code in (403, 404)
    assert "Dock" not in eve.submit(f"/c/1/report/{plan}", {"tap": "others"}, seen="/c/1/report").text
    assert report(eve, plan, "Gate", 1).json()["taken"] is True
    refused = report(eve, plan, "Dock", 1).json()
    assert refused["taken"] is False and "not in it" in refused["sentence"]
    assert campaign.plan(plan).told == {"Gate": 1}
    assert [event.by for event in campaign.history()][-1] == "Eve"


def test_a_recorder_corrects_only_what_is_their_own(campaign, sign_in):
    plan = campaign.ask().id
    eve, bo = sign_in(Rights("Eve", RECORDER)), sign_in(Rights("Bo", RECORDER))
    assert report(eve, plan, "Gate", 1).json()["taken"] is True
    event = campaign.last_event
    for losses, knew in ((0, event), ("", event), (1, event), (1, 0)):  # to say the same would make it theirs
        assert report(bo, plan, "Gate", losses, knew=knew).json()["taken"] is False
    assert campaign.last_event == event
    assert report(eve, plan, "Gate", 0, knew=event).json()["taken"] is True
    ada = sign_in(Rights("Ada", PLANNER, 1))
    assert report(ada, plan, "Gate", 1, knew=event + 1).json()["taken"] is True
    assert report(eve, plan, "Gate", 0, knew=event + 2).json()["taken"] is False


def test_a_recorder_cannot_use_up_a_key_of_others(campaign, sign_in):
    plan = campaign.ask().id
    refused = report(sign_in(Rights("Eve", RECORDER)), plan, "Gate", 1, key="nightly ask").json()
    assert refused["taken"] is False and "open the page again" in refused["sentence"]
    campaign.tell(plan, {"Gate": 0}, key="nightly ask")


def test_a_store_that_fails_is_not_described_to_a_team(campaign, sign_in, monkeypatch):
    def fail(*_, **__):
        raise StoreError("cannot use /srv/night.db: the disk is full")

    plan, eve, ada = campaign.ask().id, sign_in(Rights("Eve", RECORDER)), sign_in(Rights("Ada", PLANNER))
    fields = ada.fields("/c/1/places/new")
    for name in ("tell", "add_arm"):
        monkeypatch.setattr(Campaign, name, fail)
    answers = [report(eve, plan, "Gate", 1)]
    answers.append(ada.post("/c/1/places/new", data={**fields, "name": "Quay", "most": "1"}))
    for each in answers:
        assert each.status_code == 503 and "/srv" not in each.text and "cannot be used now" in each.text


def test_only_a_planner_for_all_campaigns_gets_the_seed(campaign, sign_in, tmp_path):
    owner, planner = sign_in(Rights("Ada", PLANNER)), sign_in(Rights("Bo", PLANNER, 1))
    whole, redacted = (each.get("/c/1/history/export.jsonl").content for each in (owner, planner))
    assert "leaves out the campaign's secret seed" in planner.get("/c/1/history").text
    assert b'"seed"' in whole and b'"seed"' not in redacted and b'"hash"' not in redacted
    (tmp_path / "redacted.jsonl").write_bytes(redacted)
    with pytest.raises(OSError, match="is redacted"):
        Campaign.replay(tmp_path / "redacted.jsonl", tmp_path / "new.db")
    (tmp_path / "whole.jsonl").write_bytes(whole)
    Campaign.replay(tmp_path / "whole.jsonl", tmp_path / "new.db").close()


def test_a_link_signs_one_phone_in_once(campaign, team, sign_in, outsider):
    ada = sign_in(Rights("Ada", PLANNER, 1))
    shown = ada.submit(
        "/c/1/settings/people", {"name": "Eve", "link": "1", "group": "town"}, seen="/c/1/today"
    )
    assert shown.status_code == 200 and "<svg" in shown.text and "style=" not in shown.text
    path = re.search(r"https://station\.example(/sign-in\?link=[\w-]+)", shown.text)[1]
    for _ in range(2):  # to look uses nothing up
        page = outsider.get(path).text
        assert all(each in page for each in ("Eve", "recorder", "night", "town"))
    link = path.partition("link=")[2]
    assert outsider.post("/sign-in", data={"link": link}).status_code == 303
    assert outsider.get("/").headers["location"] == "/c/1/report"
    with Visitor(team) as second:
        assert second.post("/sign-in", data={"link": link}).status_code == 403
        assert second.get(path).status_code == 403
    again = ada.submit("/c/1/settings/people/link", {"name": "Eve"}, seen="/c/1/today")
    assert "sign-in?link=" in again.text
    assert ada.submit("/c/1/settings/people/link", {"name": "Ada"}, seen="/c/1/today").status_code == 403


def test_a_link_lives_for_a_quarter_of_an_hour(team, clock):
    links = SignInLinks(team.team.tokens, clock)
    token, _ = team.team.tokens.add(Rights("Eve", RECORDER, 1), by=OWNER, secret=False)
    code = links.issue(token, by=OWNER)
    clock.now += LIFE_SECONDS
    assert links.whose(code) == token
    clock.now += 1
    assert links.whose(code) is None and links.redeem(code) is None


def test_people_are_added_shown_once_and_revoked(team, sign_in, outsider):
    ada = sign_in(Rights("Ada", PLANNER, 1))
    sign_in(Rights("Kim", PLANNER))
    shown = ada.submit("/c/1/settings/people", {"name": "Bo", "role": "viewer"}, seen="/c/1/today").text
    text = re.search(r"al_[0-9a-f]{12}_[\w-]{43}", shown)[0]
    page = ada.get("/c/1/settings/people").text
    assert text not in page and "Bo" in page and "Kim" not in page  # Kim's rights are not Ada's to give
    assert outsider.post("/sign-in", data={"token": text}).status_code == 303
    assert ada.submit("/c/1/settings/people/revoke", {"name": "Bo"}, seen="/c/1/today").status_code == 303
    assert outsider.get("/c/1/today").headers["location"] == "/sign-in"
    wrong = ada.submit("/c/1/settings/people", {"name": "Bo", "role": "viewer"}, seen="/c/1/today")
    assert wrong.status_code == 409 and "exists or existed" in wrong.text
    everywhere = {"name": "Zoe", "role": "viewer", "everywhere": "1"}
    assert ada.submit("/c/1/settings/people", everywhere, seen="/c/1/today").status_code == 403
    assert "Kim" not in ada.get("/c/1/settings").text
    for path, name in (("revoke", "Kim"), ("revoke", "kim"), ("link", "Kin")):
        unknown = ada.submit(f"/c/1/settings/people/{path}", {"name": name}, seen="/c/1/today")
        assert unknown.status_code == 404 and f"There is no token named &#39;{name}&#39;" in unknown.text
        assert "Did you mean" not in unknown.text and team.campaigns.store_name not in unknown.text


def test_sessions_are_in_the_store_and_end(team, clock):
    tokens = team.team.tokens
    viewer, _ = tokens.add(Rights("Bo", VIEWER), by=OWNER)
    recorder, _ = tokens.add(Rights("Eve", RECORDER), by=OWNER)
    one, other = StoredSessions(tokens, clock), StoredSessions(tokens, clock)
    idle, used, phone = (one.start(each)[0] for each in (viewer, viewer, recorder))
    for _ in range(ABSOLUTE_SECONDS // IDLE_SECONDS):
        assert other.find(used) is not None
        clock.now += IDLE_SECONDS
    assert other.find(idle) is None
    clock.now += 1
    assert other.find(used) is None
    clock.now += RECORDER_SECONDS - ABSOLUTE_SECONDS - 1
    assert [each.author for each in other.live()] == ["Eve"] and other.find(phone) is not None
    clock.now += 1
    assert other.find(phone) is None


def test_a_notice_told_to_one_worker_is_shown_by_another(team, clock):
    from allotment.web.security.sessions import Notice

    token, _ = team.team.tokens.add(Rights("Bo", VIEWER), by=OWNER)
    one, other = StoredSessions(team.team.tokens, clock), StoredSessions(team.team.tokens, clock)
    identifier, session = one.start(token)
    session.tell(Notice("Done.", undo_path="/x", undo_fields={"a": "b"}))
    assert other.find(identifier).taken_notices() == [Notice("Done.", undo_path="/x", undo_fields={"a": "b"})]
    assert one.find(identifier).taken_notices() == []


FORGED = {"x-forwarded-for": "192.0.2.7", "x-forwarded-user": "Ada", "x-forwarded-proto": "https"}


def test_headers_of_a_proxy_mean_nothing_from_anyone_else(team, outsider):
    """No proxy is trusted: the raw peer counts, and nobody is signed in by a header."""
    for number in range(MOST_FAILURES):
        forged = FORGED | {"x-forwarded-for": f"192.0.2.{number}"}
        outsider.post("/sign-in", data={"token": "x"}, headers=forged)
    assert outsider.post("/sign-in", data={"token": "x"}, headers=FORGED).status_code == 429
    for name in ("x-forwarded-user", "remote-user", "x-remote-user", "forwarded"):
        assert outsider.get("/c/1/today", headers={name: "Ada"}).headers["location"] == "/sign-in"


def test_a_proxy_alone_may_connect_and_says_who_asks():
    front = Front.of_team([NAME], 8350, proxies=[PROXY, "10.1.0.0/16"], lasting_https=True)
    assert front.caller("192.0.2.1", "10.0.0.1") is None
    assert front.caller("nonsense", None) is None
    assert front.caller(PROXY, None) == PROXY
    assert front.caller(f"::ffff:{PROXY}", "192.0.2.9, ::ffff:10.1.2.3") == "192.0.2.9"
    assert front.caller(PROXY, "forged, 192.0.2.9, 10.1.2.3") == "192.0.2.9"
    assert front.address == f"https://{NAME}"
    seen = Front.of_team(["station.example:8443", "fd00::1"], 8350, proxies=[PROXY], lasting_https=True)
    assert seen.address == "https://station.example:8443"
    assert {"station.example:8443", "[fd00::1]", "[fd00::1]:8350"} <= seen.hosts
    assert Front.of_team([NAME], 8350, lasting_https=True).caller("192.0.2.1", "10.0.0.1") == "192.0.2.1"


def test_whoever_is_not_the_proxy_is_refused(campaign, desk):
    desk.open_to(Front.of_team([NAME], 8350, proxies=[PROXY], lasting_https=True))
    with Visitor(desk) as visitor:  # whose peer is called testclient
        answer = visitor.get("/sign-in", headers=FORGED | {"x-forwarded-for": PROXY})
    assert answer.status_code == 403 and "its proxy only" in answer.text


def test_the_access_log_names_people_and_holds_no_secret(team, sign_in, outsider, caplog):
    import json
    import logging

    caplog.set_level(logging.INFO, logger="allotment.access")
    ada = sign_in(Rights("Ada", PLANNER))
    ada.get("/c/1/today?secret=1")
    outsider.get("/sign-in?link=hidden")
    lines = [json.loads(each.message) for each in caplog.records if each.name == "allotment.access"]
    found = next(each for each in lines if each["path"] == "/c/1/today")
    assert found["by"] == "Ada" and found["status"] == 200 and found["bytes"] > 1000
    assert "hidden" not in caplog.text and "secret" not in caplog.text and "al_" not in caplog.text


def test_probes_need_neither_a_token_nor_a_name_and_tell_nothing(team, outsider, monkeypatch):
    for host in (NAME, "10.0.0.7:8350"):
        assert outsider.get("/health", headers={"host": host}).json() == {"status": "running"}
        assert outsider.get("/ready", headers={"host": host}).json() == {"status": "ready"}
    monkeypatch.setattr(
        type(team.campaigns), "names", lambda self: (_ for _ in ()).throw(StoreError("secret path"))
    )
    broken = outsider.get("/ready")
    assert broken.status_code == 503 and "secret" not in broken.text
