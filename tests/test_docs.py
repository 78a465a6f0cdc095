"""Runs what README and docs show: Python blocks of a page one after the other, and allotment commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import blocks, commands

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names = {}
    for language, code in blocks(page):
        saved_as = re.match(r"# (\w+\.(?:py|toml))\n", code)
        if saved_as:
            (tmp_path / saved_as[1]).write_text(code, encoding="utf-8")
        elif language == "python":
            exec(compile(code, f"{page.name}", "exec"), names)
        elif language == "sh":
            for command in commands(code):
                program = [sys.executable, "-m", *command]
                done = subprocess.run(program, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
