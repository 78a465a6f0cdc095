"""Runs what README and docs show: Python blocks of a page one after the other, and allotment commands."""

import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import allotment
from allotment import theory
from pages import blocks, commands, save_tables, shown_outputs

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def name_of(page):
    """The page's path in the repository, since two folders may have a page of the same name."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_shows_works(page, tmp_path, monkeypatch, allotment):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    save_tables(page, tmp_path)
    names, shown = {}, shown_outputs(page)
    for language, code in blocks(page):
        printed = ""
        saved_as = re.match(r"# (\w+\.(?:py|toml))\n", code)
        if saved_as:
            (tmp_path / saved_as[1]).write_text(code, encoding="utf-8")
        elif language == "python":
            with redirect_stdout(StringIO()) as out:
                exec(compile(code, name_of(page), "exec"), names)
            printed = out.getvalue()
        elif language == "sh":
            for _, *arguments in commands(code):
                answer = allotment(*arguments)
                assert answer.code == 0, answer.err
                printed += answer.out
        displayed = (
            language == "python" and not printed
        )  # a cell of the notebook; tools/update-notebook checks it
        if code in shown and not displayed:  # numbers may differ a little on another kind of processor
            assert NUMBER.sub("#", printed) == NUMBER.sub("#", shown[code]), "run tools/update-shown"


def test_what_pages_show_passes_strict_type_checks(tmp_path):
    for page in PAGES:
        rest = []
        for language, code in blocks(page):
            saved_as = re.match(r"# (\w+\.py)\n", code)
            if language == "python" and saved_as:
                (tmp_path / saved_as[1]).write_text(code, encoding="utf-8")
            elif language == "python":
                rest.append(code)
        module = "page_" + re.sub(r"\W", "_", name_of(page))
        (tmp_path / f"{module}.py").write_text("\n".join(rest), encoding="utf-8")
    cache = ROOT / ".mypy_cache" if os.access(ROOT, os.W_OK) else tmp_path / "cache"
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache)]
    written = sorted(path.name for path in tmp_path.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *settings, *written],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_links_between_pages_lead_somewhere():
    names = ["index", *(script.stem for script in (ROOT / "examples").glob("plot_*.py"))]
    gallery = {ROOT / "docs" / "gallery" / f"{name}.rst" for name in names}  # `make docs` makes it
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            path = (page.parent / target).resolve()
            assert path.exists() or path in gallery, f"{name_of(page)} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_formulas_and_percentages_stay_as_they_are_written(page):
    source = page.read_text(encoding="utf-8")
    parts = MarkdownIt("commonmark").enable("table").parse(source)
    slanted = [part for each in parts for part in each.children or () if part.type == "em_open"]
    assert {part.markup for part in slanted} <= {"*"}, "write \\_ in a formula: pages use * for emphasis"
    lost = [each.content for each in parts if re.search("^%", each.content, re.MULTILINE) and not each.tag]
    assert lost == [], "the site leaves out a line that begins with %"


def test_the_reference_has_every_public_name():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").rglob("*.md")]
    described = set(
        re.findall(r"^\.\. auto\w+:: allotment\.(?:theory\.)?(\w+)$", "\n".join(pages), re.MULTILINE)
    )
    assert {*allotment.__all__, *theory.__all__} - described == {"theory", "__version__"}
