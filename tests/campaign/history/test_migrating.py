"""Formats of stores: the first one opens for ever, older ones are migrated, newer ones refused."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from allotment import Campaign, StoreError, StoreWarning
from allotment.campaign.history.store import migrating
from allotment.campaign.history.store.connecting import PRAGMAS
from allotment.campaign.history.store.store import Store
from allotment.campaign.history.store.tables import metadata
from own_copies import FIRST_FORMAT, own_copy

NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "0004", "0003", None, None


def upgrade():
    op.create_table("allotment_next", sa.Column("id", sa.Integer, primary_key=True))
"""


@pytest.fixture
def first(tmp_path):
    return own_copy(FIRST_FORMAT, tmp_path / "first.db")


def test_a_file_of_the_first_format_opens(first):
    with Campaign.open(first) as campaign:
        campaign.verify()
        assert campaign.name == "night"
        assert campaign.plan("1").amounts == {"Dock": 2, "Gate": 1.5, "Yard": 2.5}
        assert campaign.evidence()[0] == ("Dock", 2, 1, 1)
        assert campaign.ask().number == 3
        campaign.verify()


def test_a_file_of_the_first_format_that_may_only_be_read_opens_as_it_is(first, monkeypatch):
    monkeypatch.setattr(migrating, "may_be_written", lambda path: False)
    before = Path(first).read_bytes()
    with Campaign.open(first) as campaign:
        assert campaign.plan("1").amounts == {"Dock": 2, "Gate": 1.5, "Yard": 2.5}
    assert Path(first).read_bytes() == before


def test_migrations_and_tables_say_the_same(address):
    with Store(address, create=True) as store:
        found = inspect(store.engine)
        for table in metadata.sorted_tables:
            columns = found.get_columns(table.name)
            assert {column["name"]: column["nullable"] for column in columns} == {
                column.name: bool(column.nullable) for column in table.columns
            }
        assert set(found.get_table_names()) == {*metadata.tables, migrating.VERSION_TABLE}


@pytest.fixture
def next_format(tmp_path, monkeypatch):
    """An allotment that has a further migration."""
    scripts = own_copy(migrating.SCRIPTS, tmp_path / "migrations")
    (scripts / "versions" / "0004_next.py").write_text(NEXT)
    monkeypatch.setattr(migrating, "SCRIPTS", scripts)
    monkeypatch.setattr(migrating, "NEWEST", "0004")


def test_an_old_file_is_migrated_once_and_a_copy_kept(first, tmp_path, next_format, monkeypatch):
    first.chmod(0o600)
    with Campaign.open(first) as campaign:
        campaign.verify()
        assert inspect(campaign.store.engine).has_table("allotment_next")
    copy = tmp_path / "first.db.format-0001"
    assert copy.stat().st_mode & 0o777 == 0o600  # it holds the seed
    monkeypatch.undo()
    with Campaign.open(copy) as campaign:
        campaign.verify()
    with pytest.raises(
        StoreError, match=r"was written by a newer allotment \(format 0004\); this one knows formats up"
    ):
        Campaign.open(first)


def test_a_migration_that_fails_leaves_the_file_as_it_was(first, tmp_path, next_format):
    broken = migrating.SCRIPTS / "versions" / "0004_next.py"
    broken.write_text(NEXT + "    op.execute('no such thing')\n")
    with pytest.raises(StoreError, match="cannot use"):
        Campaign.open(first)
    broken.write_text(NEXT)
    with Campaign.open(first) as campaign:
        campaign.verify()


def test_several_that_open_at_once_migrate_once(address, next_format):
    program = (
        "import sys, pathlib\n"
        "from allotment.campaign.history.store import migrating\n"
        "from allotment.campaign.history.store.store import Store\n"
        f"migrating.SCRIPTS = pathlib.Path({str(migrating.SCRIPTS)!r}); migrating.NEWEST = '0004'\n"
        f"Store({address!r}, create=True).close()\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) for _ in range(3)]
    for each in running:
        _, said = each.communicate()
        assert each.returncode == 0, said.decode()
    with Store(address) as store, store.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM allotment_version")).scalar() == 1


def test_each_connection_is_held_to_its_pragmas(tmp_path, monkeypatch):
    with Store(tmp_path / "a.db", create=True) as store, store.engine.connect() as connection:
        for name, (_, answer) in PRAGMAS.items():
            assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == answer
    monkeypatch.setitem(PRAGMAS, "synchronous", ("OFF", 2))
    with pytest.raises(StoreError, match="synchronous is 0, and not 2"):
        Store(tmp_path / "a.db")


def test_a_shared_place_gets_a_warning(tmp_path):
    (tmp_path / "Dropbox").mkdir()
    with pytest.warns(StoreWarning, match="lies in a folder that dropbox copies"):
        Store(tmp_path / "Dropbox" / "a.db", create=True).close()
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw\nserver:/x {tmp_path} nfs4 rw\n")
    with pytest.warns(StoreWarning, match="on a network drive"):
        migrating.warn_of_shared_places(tmp_path / "a.db", mounts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        migrating.warn_of_shared_places(Path("/elsewhere/a.db"), mounts)
