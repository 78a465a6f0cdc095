"""Runs what README and docs show: Python blocks of a page one after the other, and allotment commands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE = re.compile(r"^```csv (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)  # a table, and what it is saved as
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name, content in FILE.findall(page.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    names = {}
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        saved_as = re.match(r"# (\w+\.(?:py|toml))\n", code)
        if saved_as:
            (tmp_path / saved_as[1]).write_text(code, encoding="utf-8")
        elif language == "python":
            exec(compile(code, f"{page.name}", "exec"), names)
        elif language == "sh":
            for line in code.splitlines():
                if line.startswith("allotment "):
                    command = [sys.executable, "-m", *shlex.split(line, comments=True)]
                    done = subprocess.run(command, capture_output=True, text=True, check=False)
                    assert done.returncode == 0, done.stderr


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
