"""`serve --host` starts only where people can sign in and nobody listens in; each refusal is one sentence."""

import stat

import pytest

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store
from allotment.web.serving import certificates
from allotment.web.serving.certificates import self_signed
from allotment.web.serving.qr_codes import qr_for_terminal


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("", "in the clear"),
        ("--self-signed --behind-proxy 10.0.0.1 --name a.example", "more than one"),
        ("--tls-cert a.pem", "one of --tls-cert and --tls-key is missing"),
        ("--tls-cert a.pem --tls-key b.pem", "cannot use a.pem"),
        ("--behind-proxy 10.0.0.1", "expected --name"),
        ("--behind-proxy proxy --name a.example", "the address of a proxy"),
        ("--self-signed --name https://a.example", "a name or an address that browsers open"),
        ("--self-signed --name 0.0.0.0", "a name or an address that browsers open"),
    ],
)
def test_options_that_do_not_go_together_are_refused(allotment, campaign, store, options, sentence):
    with Store(store) as opened:
        Tokens(opened).add(Rights("Ada", PLANNER), by=Rights("root", PLANNER))
    answer = allotment("serve", store, "--host", "127.0.0.1", "--port", 0, *options.split())
    assert answer.code == 2 and sentence in " ".join(answer.err.split())


def test_without_a_token_nobody_could_sign_in(allotment, campaign, store):
    answer = allotment("serve", store, "--host", "127.0.0.1", "--self-signed")
    assert answer.code == 2 and "has no valid token" in answer.err and "allotment token add" in answer.err
    answer = allotment("serve", store, "--self-signed")
    assert answer.code == 2 and "without --host" in answer.err


def test_an_address_of_another_machine_is_refused(allotment, campaign, store):
    with Store(store) as opened:
        Tokens(opened).add(Rights("Ada", PLANNER), by=Rights("root", PLANNER))
    for host in ("203.0.113.1", "no.such.host.invalid"):
        answer = allotment("serve", store, "--host", host, "--self-signed")
        assert answer.code == 2 and "an address of this machine" in answer.err


def test_a_certificate_is_private_kept_and_made_anew_before_it_ends(monkeypatch):
    first = self_signed(["192.168.1.20", "station.example"])
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
    assert len(first.fingerprint) == 95 and self_signed(["station.example", "192.168.1.20"]) == first
    assert self_signed(["192.168.1.21"]) != first
    monkeypatch.setattr(certificates, "LAST", certificates.LIFE)
    assert self_signed(["192.168.1.20", "station.example"]).fingerprint != first.fingerprint


def test_a_code_for_the_terminal():
    assert "█" in qr_for_terminal("https://192.168.1.20:8350/sign-in")
