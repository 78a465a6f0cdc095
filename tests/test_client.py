"""The client gives its token to no one else, and repeats what gets lost."""

import http.server
import inspect
import re
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import allotment as al
from allotment.campaign.access.questions import questions_to
from allotment.client.connecting import checked_url
from allotment.client.line import Line
from allotment.client.remote_campaign import RemoteCampaign
from allotment.client.wire import part_of

TOKEN = "al_000000000000_" + "x" * 43


@contextmanager
def answering(answers):
    """A server on loopback that gives some answers, one after the other, and keeps what it was asked."""
    heard = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append((self.command, self.path, dict(self.headers)))
            self.rfile.read(int(self.headers.get("content-length", 0)))
            answer = answers.pop(0)
            if answer is None:  # the connection is lost
                self.connection.close()
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - as the library calls it

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def line(address):
    return Line(address, TOKEN)


@pytest.mark.parametrize(
    "url",
    [
        "http://station.example",
        "http://127.0.0.1.example",
        "http://localhost.example:8350",
        "ftp://127.0.0.1",
        "https://Ada:secret@station.example",
        "https://station.example/?x=1",
        "station.example",
        "",
        None,
    ],
)
def test_an_address_that_a_token_must_not_go_to_is_refused(url):
    with pytest.raises(al.InputError) as refused:
        al.connect(url, TOKEN)
    assert TOKEN not in str(refused.value) and "secret" not in str(refused.value)


def test_plain_http_is_for_this_machine():
    for url in ("http://127.0.0.1:8350/", "http://localhost:8350", "http://[::1]:8350", "https://a.example"):
        assert checked_url(url) == url.rstrip("/")


def test_a_redirect_is_not_followed():
    moved = (307, {"location": "https://evil.example/"}, b"")
    with answering([moved]) as (address, heard), pytest.raises(al.StoreError, match="evil.example"):
        line(address).get("/campaigns")
    assert len(heard) == 1


def test_a_write_that_gets_lost_is_repeated_under_the_same_key():
    with answering([None, (200, {}, b'{"untold": []}')]) as (address, heard):
        assert line(address).write("POST", "/x", {}, dict) == {"untold": []}
    keys = {headers["idempotency-key"] for _, _, headers in heard}
    assert len(heard) == 2 and len(keys) == 1


def test_a_busy_server_is_asked_again():
    busy = (503, {"retry-after": "0", "content-type": "application/problem+json"}, b'{"detail": "Busy."}')
    with answering([busy, (200, {}, b"[]")]) as (address, heard):
        assert line(address).get("/x") == [] and len(heard) == 2


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, al.NotAllowedError),
        (403, al.NotAllowedError),
        (404, al.NotFoundError),
        (409, al.ConflictError),
        (422, al.InputError),
        (500, al.StoreError),
    ],
)
def test_problems_are_errors_of_the_library(status, error):
    with (
        answering([(status, {}, b'{"detail": "It is so."}')]) as (address, _),
        pytest.raises(error) as raised,
    ):
        line(address).get("/x")
    assert str(raised.value) == "It is so."


def test_something_else_on_the_port_gets_a_sentence():
    with (
        answering([(404, {}, b"<html>")]) as (address, _),
        pytest.raises(al.NotFoundError, match="no server"),
    ):
        line(address).get("/x")
    with pytest.raises(al.StoreError, match="cannot reach"):
        line("http://127.0.0.1:9").get("/x")


def test_a_token_comes_from_the_environment_or_a_file(tmp_path, monkeypatch):
    one = (200, {}, b'{"items": [{"number": 1, "name": "night"}], "next": null}')
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    for name, value in (("ALLOTMENT_TOKEN", TOKEN), ("ALLOTMENT_TOKEN_FILE", str(tmp_path / "token"))):
        with answering([one]) as (address, heard), monkeypatch.context() as patch:
            patch.setenv(name, value)
            with al.connect(address) as campaign:
                assert campaign.name == "night" and TOKEN not in repr(campaign)
            assert heard[0][2]["authorization"] == f"Bearer {TOKEN}"
    with pytest.raises(al.InputError, match="there is no token"):
        al.connect("http://127.0.0.1:9")
    with answering([one]) as (address, _), pytest.raises(al.NotFoundError, match="Did you mean night"):
        al.connect(address, TOKEN, "nihgt")


@pytest.mark.parametrize("name", ["ask", "plan_for", "plans_for", "check_orders", "evidence", "import_log"])
def test_a_method_takes_the_parameters_of_a_campaign_in_a_file_and_no_others(name):
    method = getattr(RemoteCampaign(None, 1, "night"), name)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        method("night.csv", colour="red") if name == "import_log" else method(colour="red")
    assert method.__doc__ == getattr(al.Campaign, name).__doc__


@pytest.mark.parametrize("name", [name for name in dir(RemoteCampaign) if not name.startswith("_")])
def test_the_client_has_the_signatures_of_campaign(name):
    ours, theirs = getattr(RemoteCampaign, name), getattr(al.Campaign, name)
    if callable(theirs):
        assert inspect.signature(ours) == inspect.signature(theirs)  # annotations too


@pytest.mark.parametrize("body", [b"<!doctype html><p>Welcome to this network", b"[]", b'{"items": 1}'])
def test_another_program_that_answers_is_a_sentence(body):
    with (
        answering([(200, {}, body)]) as (address, _),
        pytest.raises(al.StoreError, match="not as a server of campaigns does"),
    ):
        al.connect(address, TOKEN)


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_dots_lead_to_no_other_path(name):
    assert part_of(name) == "-"


def test_the_client_asks_every_question_of_a_campaign():
    """The API answers each of them by itself; a client needs a line for its type."""
    assert questions_to(al.Campaign).keys() <= vars(RemoteCampaign).keys()
    assert len(questions_to(al.Campaign)) >= 19


def test_the_reference_names_the_methods_that_the_client_lacks():
    said = (Path(__file__).parents[1] / "docs/reference/http-api.md").read_text("utf-8")
    named = re.findall(r"`(\w+)`", said.partition("Missing are")[2].partition(".")[0])
    own = {name for name in dir(al.Campaign) if not name.startswith("_")}
    assert set(named) == own - set(dir(RemoteCampaign))
