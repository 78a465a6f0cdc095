"""What a store, an export or a folder holds never runs."""

import subprocess
import sys

import openpyxl
import pytest

from allotment import Campaign, InputError
from allotment.campaign.settings.campaign_policy import policy_named

EVIL = "import pathlib\npathlib.Path('ran').touch()\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "evil_mod.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_campaigns_policy_imports_nothing(campaign, folder):
    with pytest.raises(InputError, match="any-response has no parameter 'learner'"):
        Campaign.create(
            "x.db", "x", arms=["a"], budget=1, unit=1, most=1, policy="any-response:learner=evil_mod.X"
        )
    with pytest.raises(InputError, match="any-response has no parameter 'learner'"):
        policy_named("any-response:learner=evil_mod.X")
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    "start", [("-m", "allotment"), ("-P", "-c", "from allotment.cli import main; main()")]
)
def test_a_file_in_the_working_folder_takes_no_librarys_place(campaign, folder, start):
    (folder / "lxml.py").write_text(EVIL)  # which openpyxl uses if it is there
    book = openpyxl.Workbook()
    for row in (("date", "place", "amount", "incidents"), ("2026-01-01", "Dock", 1, 0)):
        book.active.append(row)
    book.save("log.xlsx")
    command = [sys.executable, *start, "import", "night.db", "log.xlsx", "--dry-run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists()
