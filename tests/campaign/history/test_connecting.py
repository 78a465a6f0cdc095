"""Addresses of stores: mistyped ones are refused, and no sentence holds a password."""

import io
import os

import pytest

from allotment import Campaign, InputError, NotFoundError, StoreError
from allotment.campaign.history.store import connecting
from allotment.campaign.history.store.connecting import is_url, shown_url, url_of

SETTINGS = {"arms": ["A"], "budget": 1, "unit": 1, "most": 1, "timezone": "UTC"}


@pytest.mark.parametrize(
    "address",
    [
        "postgresql:/bob:sesame@h/x",
        "postgresql:bob:sesame@h/x",
        "postgresql//bob:sesame@h/x",
        "postgres;//bob:sesame@h/x",
        "//bob:sesame@h/x",
        "bob:sesame@h/x",
        "host=h user=bob password=sesame",
        "postgresql://bob:x@sesame@h/x",
        "postgresql:///bob:sesame@h/x",
        "postgresql://h/x&password=sesame",
        "postgresql://bob@h:sesame/x",
        "mysql://bob:sesame@h/x",
        "postgresql ://bob:sesame@h/x",
    ],
)
def test_a_mistyped_address_is_not_repeated(address):
    with pytest.raises(InputError, match=r"expected (a file, or a )?postgresql://") as caught:
        Campaign.open(address)
    assert "sesame" not in f"{caught.value} {caught.value!r} {vars(caught.value)}"


@pytest.mark.parametrize(
    "address", ["postgresql://bob:sesame@127.0.0.1:1/x", "postgresql://bob@127.0.0.1:1/x?password=sesame"]
)
def test_a_password_is_in_no_sentence(address):
    url = url_of(address)
    assert url.password == "sesame"
    assert shown_url(url) == "postgresql://bob:***@127.0.0.1:1/x"
    with pytest.raises(StoreError, match="the database cannot be reached") as caught:
        Campaign.open(address)
    assert "sesame" not in f"{url!r} {connecting.engine_for(url)!r} {caught.value!r} {vars(caught.value)}"
    with (
        pytest.raises(StoreError, match=r"cannot use .*: not as \*\*\*"),
        connecting.in_sentences(url),
    ):
        raise connecting.sqlite3.OperationalError("not as sesame")


def test_an_address_in_a_sentence_can_be_used_again():
    url = url_of("postgresql://bob:@/x?host=/run/pg&port=5433&sslpassword=sesame")
    assert shown_url(url) == "postgresql://bob@/x?host=%2Frun%2Fpg&port=5433"
    again = url_of(shown_url(url))
    assert (again.password, again.query) == (None, {"host": "/run/pg", "port": "5433"})


def test_names_of_files_stay_names_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("night.db", "C:/Users/jo@firm.com/night.db", "night@12:30.db", "postgresql/night.db"):
        assert not is_url(name)
        with pytest.raises(NotFoundError, match="there is no file"):
            Campaign.open(name)
    (tmp_path / "12:30@night.db").touch()  # made by an earlier version
    assert not is_url("12:30@night.db")


@pytest.fixture
def locked(postgres, postgres_address):
    """The address of a database whose server asks for bob's password, which is sesame."""
    database = postgres_address.partition("?")[0].rpartition("/")[2]
    role = f"bob_{database}"
    postgres.psql(f"CREATE ROLE {role} LOGIN PASSWORD 'sesame'")
    postgres.psql(f"ALTER DATABASE {database} OWNER TO {role}")
    rules = postgres.pgdata / "pg_hba.conf"
    rules.write_text(f"local {database} {role} scram-sha-256\n{rules.read_text()}")
    postgres.psql("SELECT pg_reload_conf()")
    return postgres_address.replace("postgres:@", f"{role}@")


def test_where_a_password_comes_from(locked, tmp_path, monkeypatch):
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    with pytest.raises(
        StoreError, match="it asks for a password; set PGPASSWORD, or write it into a .pgpass"
    ):
        Campaign.create(locked, "a", **SETTINGS)
    with monkeypatch.context() as variable:
        variable.setenv("PGPASSWORD", "sesame")
        Campaign.create(locked, "a", **SETTINGS).close()
    (tmp_path / "pgpass").write_text("*:*:*:*:sesame\n")
    (tmp_path / "pgpass").chmod(0o600)
    Campaign.open(locked).close()
    (tmp_path / "pgpass").unlink()

    typed = []
    monkeypatch.setattr("getpass.getpass", lambda prompt: typed.append(prompt) or "sesame")
    with pytest.raises(StoreError, match="it asks for a password"):  # nobody is there to ask
        Campaign.open(locked)
    monkeypatch.setattr("sys.stdin", terminal := io.StringIO())
    terminal.isatty = lambda: True
    with Campaign.open(locked) as campaign:
        campaign.ask(date="2026-01-01")
        campaign.store.engine.dispose()  # a new connection needs the password again
        campaign.ask(date="2026-01-02")
    assert len(typed) == 1
    assert typed[0].startswith("Password of postgresql://bob")
    assert os.environ.get("PGPASSWORD") is None


def test_a_wrong_password_is_asked_for_once(locked, monkeypatch):
    typed = []
    monkeypatch.setattr("getpass.getpass", lambda prompt: typed.append(prompt) or "open")
    monkeypatch.setattr("sys.stdin", terminal := io.StringIO())
    terminal.isatty = lambda: True
    with pytest.raises(StoreError, match="password authentication failed"):
        Campaign.open(locked)
    assert len(typed) == 1
