"""Duty sheets: what stands on them, on how many pages, and that names are text."""

import base64
import hashlib
import multiprocessing
import re
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from datetime import date

import pytest
from fpdf import FPDF

from allotment import Campaign
from allotment.campaign.sheets.duty_sheet import DutySheet, Section
from allotment.campaign.sheets.sheet_html import html_of
from allotment.campaign.sheets.sheet_pdf import pdf_of
from allotment.campaign.sheets.writing import write_sheets
from allotment.errors import AllotmentError, ConflictError, InputError, MissingExtraError

NASTY = "<img src=x onerror=alert(1)> & $x^{2$ 'q\" \\frac"


def made(names, groups=1, nothing=(), campaign="night"):
    sections = tuple(
        Section(f"group {g}" if groups > 1 else None, tuple((name, 1.5) for name in names[g::groups]), 3)
        for g in range(groups)
    )
    return DutySheet(campaign, "1", date(2026, 3, 31), 9, 8.5, sections, tuple(nothing), "Losses", True)


@pytest.fixture
def drawn(monkeypatch):
    """Draws a sheet, and returns for each page its texts with their left, right and lower edges."""
    written = {}

    def note(paper, text, left):
        edges = (left, left + paper.get_string_width(text), paper.y)
        written.setdefault(paper.page, {})[text] = edges

    real_text, real_cell = FPDF.text, FPDF.cell

    def text(self, x, y, text):
        self.y = y
        note(self, text, x)
        return real_text(self, x, y, text)

    def cell(self, w, h, text="", **options):
        note(self, text, self.x + self.c_margin)
        return real_cell(self, w, h, text, **options)

    monkeypatch.setattr(FPDF, "text", text)
    monkeypatch.setattr(FPDF, "cell", cell)

    def drawn(sheet):
        written.clear()
        assert pdf_of([sheet]).startswith(b"%PDF")
        return [*written.values()]

    return drawn


def test_places_by_group_with_subtotals(tmp_path):
    groups = {"north": {"arms": ["Dock", "Gate"]}, "south": {"arms": ["Mill"]}}
    settings = {"arms": ["Mill", "Dock", "Gate", "Yard", "Shed"], "budget": 8, "unit": 0.1, "most": 4}
    with Campaign.create(tmp_path / "night.db", "night", **settings, groups=groups, seed=1) as campaign:
        fix = {"Mill": 0.1, "Dock": 0.2, "Gate": 0.1, "Yard": 2, "Shed": 0}
        plan = campaign.ask(date="2026-03-31", fix=fix)
        campaign.sheet(plan.id, tmp_path / "sheet.html")
        page = (tmp_path / "sheet.html").read_text("utf-8")
        found = re.findall(r"<t[hd]>([^<]+)</t[hd]><t[hd] class=\"amount\">([^<]+)<", page)
        assert found == [
            *(("Place", "Gets"), ("north", "0.3"), ("Dock", "0.2"), ("Gate", "0.1")),
            *(("south", "0.1"), ("Mill", "0.1"), ("Other places", "2"), ("Yard", "2"), ("Total", "2.4")),
        ]
        assert page.index("Tuesday, 31 March 2026") < page.index("2.4 of 8 granted") < page.index("north")
        assert "These places get nothing: Shed." in page
        assert "Losses (0 or 1)" in page
        campaign.rename_arm("Yard", "Court")
        campaign.sheet(plan.id, tmp_path / "sheet.PDF")  # by the names of that day
        assert (tmp_path / "sheet.PDF").read_bytes().startswith(b"%PDF")
        campaign.cancel(plan.id)
        with pytest.raises(ConflictError, match="plan 1 was cancelled; expected a plan that is carried out"):
            campaign.sheet(plan.id, tmp_path / "other.html")
        assert not (tmp_path / "other.html").exists()


@pytest.mark.parametrize("name", ["sheet.docx", "sheet", "sheet.html.txt"])
def test_other_endings_are_refused(campaign, tmp_path, name):
    plan = campaign.ask()
    with pytest.raises(InputError, match="expected one of html, pdf"):
        campaign.sheet(plan.id, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_every_name_is_text(drawn):
    sheet = made([NASTY], nothing=[NASTY], campaign=NASTY)
    page = html_of([sheet])
    assert "<img" not in page
    assert page.count("&lt;img src=x onerror=alert(1)&gt; &amp; $x^{2$ &#x27;q&quot; \\frac") == 4
    shown = " ".join(drawn(sheet)[0])
    assert shown.count("<img") == 3
    assert pdf_of([sheet]) == pdf_of([sheet])


@pytest.mark.parametrize(("places", "groups", "nothing"), [(40, 10, 0), (40, 1, 0), (20, 3, 20), (1, 1, 39)])
def test_forty_places_are_one_page(drawn, places, groups, nothing):
    names = [f"Harbour basin, gate no. {i}" for i in range(40)]
    sheet = made(names[:places], groups, names[:nothing])
    (page,) = drawn(sheet)
    assert set(names[:places]) <= set(page)
    line = float(re.search(r"--line: ([0-9.]+)mm", html_of([sheet]))[1])
    assert 3.6 <= line <= 8.0
    rows = html_of([sheet]).count("<tr")
    assert rows * line + len(sheet.without_grant) / 100 * 4.4 < 297 - 24 - 17 - 40


def test_more_places_take_more_pages_that_all_have_the_date(drawn):
    sheet = made([f"Place {i}" for i in range(80)], 4, ["Shed"])
    pages = drawn(sheet)
    assert len(pages) == 3
    for number, page in enumerate(pages, start=1):
        assert {"Tuesday, 31 March 2026", f"page {number} of 3", "Place", "Gets"} <= set(page)
        assert "group" not in [*page][-2]  # no page ends with a heading
        assert all(0 < low < 297 - 4 for _, _, low in page.values())
    assert "These places get nothing: Shed." in pages[-1]


def test_places_that_get_nothing_may_fill_pages(drawn):
    pages = drawn(made(["Dock"], nothing=[f"Quiet-{i}" for i in range(2000)]))
    assert len(pages) > 1
    named = " ".join(text for page in pages for text in page)
    assert all(f"Quiet-{i}" in named for i in range(2000))
    assert all(0 < low < 297 - 4 for page in pages for _, _, low in page.values())


def test_long_names_are_wrapped_inside_their_column(drawn):
    (page,) = drawn(made(["A long name " * 16, "W" * 200], nothing=["Quiet place"] * 30))
    for text, (_, edge, _) in page.items():
        assert edge <= (12 + 74 if "WW" in text or "A l" in text else 210 - 12)
    assert "".join(text for text in page if set(text) == {"W"}).count("W") <= 200


def test_scripts_from_right_to_left_are_shaped(drawn, monkeypatch):
    """Letters of Arabic join, and a mixed name reads in both directions: only a shaping engine does that."""
    sheet = made(["بوابة 3", "שער Dock"])
    assert {"بوابة 3", "שער Dock"} <= set(drawn(sheet)[0])
    shaped = pdf_of([sheet])
    monkeypatch.setattr("allotment.campaign.sheets.sheet_pdf.SHAPED", frozenset())
    assert pdf_of([sheet]) != shaped


def test_letters_that_the_font_lacks_are_named():
    with pytest.raises(AllotmentError, match="has the character '東'.* expected a sheet as .html"):
        pdf_of([made(["東門"])])
    assert "東門" in html_of([made(["東門"])])


def test_without_a_library_for_pdf_there_is_html(campaign, tmp_path, monkeypatch):
    plan = campaign.ask()
    monkeypatch.setitem(sys.modules, "fpdf", None)
    campaign.sheet(plan.id, tmp_path / "sheet.html")
    with pytest.raises(MissingExtraError, match="PDF sheets need fpdf2; install it with"):
        campaign.sheet(plan.id, tmp_path / "sheet.pdf")
    assert not (tmp_path / "sheet.pdf").exists()


def test_a_saved_sheet_allows_its_own_style_and_nothing_else():
    page = html_of([made(["Dock"])])
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not re.search(r"<[^>]*\s(style|on\w+)=", page)


def test_a_sheet_is_content_without_a_file(campaign, tmp_path):
    plan = campaign.ask()
    campaign.sheet(plan.id, tmp_path / "sheet.html")
    assert campaign.sheet_content(plan.id) == (tmp_path / "sheet.html").read_bytes()
    assert campaign.sheet_content(plan.id, "pdf").startswith(b"%PDF")
    with pytest.raises(InputError, match="expected one of html, pdf"):
        campaign.sheet_content(plan.id, "docx")


def test_several_sheets_are_one_file_and_each_begins_a_page(drawn):
    sheets = [made(["Dock"]), made([f"Place {i}" for i in range(30)])]
    sheets = [replace(each, situation=name) for each, name in zip(sheets, ("early", "night"), strict=True)]
    page = html_of(sheets)
    assert re.findall(r"<h1>(.*?)</h1>", page) == [
        "Tuesday, 31 March 2026 · early",
        "Tuesday, 31 March 2026 · night",
    ]
    assert "h1 ~ h1 { break-before: page; }" in page
    assert pdf_of(sheets).count(b"/Type /Page\n") == 2
    (wide,) = drawn(replace(sheets[0], situation="night shift " * 8))
    (edge,) = [edge for text, (_, edge, _) in wide.items() if "night" in text and "2026" in text]
    assert edge < 210 - 12 + 1
    with pytest.raises(InputError, match="there is no plan to print"):
        write_sheets([], "sheet.html")


NOTE = "Meet at 6:45 at the east gate; bring radios <b>&"
LONG_NOTE = " ".join(f"Word{i}" for i in range(74))


def test_a_note_stands_on_every_page_and_on_every_sheet(drawn):
    for name in ("Dock", "Gate"):
        (page,) = drawn(replace(made([name]), note=NOTE))
        assert NOTE in page and [*page].index(NOTE) < [*page].index(name)
    pages = drawn(replace(made([f"Place {i}" for i in range(80)], 4), note=LONG_NOTE))
    for page in pages:
        lines = [(text, low) for text, (_, _, low) in page.items() if text.startswith("Word")]
        assert " ".join(text for text, _ in lines) == LONG_NOTE and len(lines) > 4
        assert max(low for _, low in lines) < page["Place"][2]
        assert all(edge <= 210 - 12 + 1 and 0 < low < 297 - 4 for _, edge, low in page.values())
    text = html_of([replace(made(["Dock"]), note=NOTE)])
    assert '<p class="note">Meet at 6:45 at the east gate; bring radios &lt;b&gt;&amp;</p>' in text
    assert 'class="note"' not in html_of([made(["Dock"])])


def test_a_long_note_leaves_less_room_for_lines(drawn):
    sheets = [made([f"Place {i}" for i in range(30)]) for _ in range(2)]
    sheets[1] = replace(sheets[1], note=LONG_NOTE)
    short, long = (float(re.search(r"--line: ([0-9.]+)mm", html_of([each]))[1]) for each in sheets)
    assert long < short and [len(drawn(each)) for each in sheets] == [1, 1]


def test_the_note_is_that_of_now_and_changes_no_plan(campaign, tmp_path):
    """A note is no part of a plan: its bytes, the next plan, and what may lead to another plan stay."""
    plan = campaign.ask(date="2026-03-30")
    before = next(each for each in campaign.history() if each.kind == "asked").text
    assert plan.note is None and "Note" not in str(plan)
    tried = campaign.what_if(date="2026-03-31").amounts
    campaign.change(note="  Meet at 6:45.\nBring radios. ")
    assert campaign.plan(plan.id).note == "Meet at 6:45. Bring radios."
    assert str(campaign.plan(plan.id)).endswith("Note: Meet at 6:45. Bring radios.")
    assert b"Meet at 6:45. Bring radios." in campaign.sheet_content(plan.id)
    assert campaign.plan_for("2026-03-30").changes == () == campaign.changes_since(plan.id)
    assert campaign.what_if(date="2026-03-31").amounts == tried
    assert next(each for each in campaign.history() if each.kind == "asked").text == before
    campaign.verify()
    campaign.change(note="", budget=5)
    assert campaign.settings.note is None and campaign.changes_since(plan.id) == ("budget changed",)


@pytest.mark.parametrize(
    ("note", "sentence"),
    [("x" * 501, "has 501 characters"), ("Meet\u202ehere", "without characters that control"), (5, "a text")],
    ids=["long", "bidirectional", "number"],
)
def test_a_note_that_cannot_be_printed_is_refused(campaign, note, sentence):
    with pytest.raises(InputError, match=sentence):
        campaign.change(note=note)
    campaign.change(note="x" * 500)
    assert len(campaign.settings.note) == 500


def test_sheets_that_several_print_at_once_are_what_each_would_be_alone():
    sheets = [made([f"Place {k}-{i}" for i in range(12)], nothing=[f"Quiet {k}"]) for k in range(4)]
    alone = [pdf_of([each]) for each in sheets]
    assert alone[0] == pdf_of([sheets[0]]) and len(set(alone)) == 4
    began = threading.Barrier(4)

    def printed(sheet):
        began.wait()
        return pdf_of([sheet])

    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(printed, sheets)) == alone
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(pdf_of, [[each] for each in sheets])) == alone
