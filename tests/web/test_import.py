"""Import: a log is sent, its columns are matched, its report is shown, and it is kept or dropped."""

import io
import re
from pathlib import Path

import openpyxl
import pytest

import allotment.campaign
from allotment.web.files import table_reader, uploads
from allotment.web.pages.import_log.view import ON_THIS_PAGE

PLAIN = b"date,place,amount,incidents\n2026-01-01,Dock,1,0\n2026-01-02,Dock,1,1\n2026-01-02,Gate,0,0\n"
OTHER = (
    "Nachtdienst 2026\n\nTag;Wo;Streifen;Vorfälle;Bemerkung\n"
    "1.2.2026;Dock;2;0;<script>alert(1)</script>\n2.2.2026;Gate;1;1;ruhig\n"
).encode("cp1252")


UNPACK = uploads._run


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Files are unpacked in this process, which is quicker, and on a busy machine tests wait for them."""

    def unpack(name, asked):
        rest = {key: value for key, value in asked.items() if key not in ("job", "sent", "written")}
        table_reader.JOBS[asked["job"]](Path(asked["sent"]), Path(asked["written"]), **rest)

    monkeypatch.setattr(uploads, "_run", unpack)


@pytest.fixture
def in_a_process(monkeypatch):
    """Files are unpacked as the server does it."""
    monkeypatch.setattr(uploads, "_run", UNPACK)


def send(visitor, content, name="log.csv"):
    """Send a log; the address of the page that asks how to read it."""
    return visitor.submit("/c/1/import", seen="/c/1/import", files={"log": (name, content)})


def staged(visitor, content, name="log.csv"):
    answer = send(visitor, content, name)
    path = answer.headers["location"]
    assert answer.status_code == 303 and re.fullmatch(r"/c/1/import/[\w-]{22}", path), path
    return path


def chosen(visitor, path):
    """What the form proposes: the column for each of ours."""
    text = visitor.get(path).text
    found = {}
    for name, options in re.findall(r'<select id="(\w+)" name="\w+"[^>]*>(.*?)</select>', text, re.S):
        picked = re.search(r'<option value="(\d+)" selected>([^<]*)', options)
        found[name] = picked[2] if picked else ""
    return found


def form_of(visitor, path, **changed):
    text = visitor.get(path).text
    fields = {"several": "count"}
    for name, options in re.findall(r'<select id="(\w+)" name="\w+"[^>]*>(.*?)</select>', text, re.S):
        picked = re.search(r'<option value="(\w*)" selected>', options)
        fields[name] = picked[1] if picked else ""
    return {**fields, **changed}


def check(visitor, path, **changed):
    """Press the button of the form as it stands; where that leads."""
    answer = visitor.submit(path, form_of(visitor, path, **changed), seen=path)
    assert answer.status_code == 303
    return answer.headers["location"]


def test_a_log_is_checked_and_kept_and_undone(in_a_process, campaign, visitor):
    path = staged(visitor, PLAIN)
    assert check(visitor, path) == f"{path}/report"
    text = visitor.get(f"{path}/report").text
    assert "From 2026-01-01 to 2026-01-02, 2 places." in text
    assert campaign.last_event == 1  # nothing is recorded yet
    assert visitor.submit(f"{path}/keep", seen=f"{path}/report").headers["location"] == "/c/1/import"
    (made,) = campaign.imports()
    assert (made.report.file, made.report.taken, made.by) == ("log.csv", 3, "Ada")
    text = visitor.get("/c/1/import").text
    assert "log.csv is imported: 3 rows, 1 incidents." in text and "data-toast" in text
    assert visitor.get(path).status_code == 404
    visitor.submit("/c/1/import/undo", {"id": "import-1"}, seen="/c/1/import")
    assert campaign.evidence() == []
    assert "import-1 is undone" in visitor.get("/c/1/import").text


def test_columns_are_recognised_by_their_names_and_by_what_is_in_them(campaign, visitor):
    path = staged(visitor, OTHER, "nacht.csv")
    found = chosen(visitor, path)
    assert found == {
        "date": "Tag",
        "place": "Wo",
        "incidents": "Vorfälle",
        "amount": "Streifen",
        "exposure": "",
        "dates": "",
    }
    assert 'name="header" inputmode="numeric" value="3"' in visitor.get(path).text
    assert check(visitor, path) == f"{path}/report"
    visitor.submit(f"{path}/keep", seen=f"{path}/report")
    read_as = campaign.imports()[0].report.read_as
    assert read_as["header"] == 3 and read_as["columns"]["place"] == "Wo"


def test_the_next_log_with_the_same_heading_is_read_in_the_same_way(campaign, visitor):
    content = b"when,where,units,bad\n03/04/2026,Dock,1,0\n03/05/2026,Gate,1,1\n"
    path = staged(visitor, content)
    assert chosen(visitor, path)["incidents"] == ""
    assert check(visitor, path, incidents="3", dates="mdy") == f"{path}/report"
    visitor.submit(f"{path}/keep", seen=f"{path}/report")
    path = staged(visitor, content.replace(b"2026", b"2025"))
    text = visitor.get(path).text
    assert "This log has the heading of an earlier import" in text
    assert chosen(visitor, path)["incidents"] == "bad" and '<option value="mdy" selected>' in text
    assert check(visitor, path) == f"{path}/report"


def test_a_sheet_and_a_heading_further_down(in_a_process, campaign, visitor):
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["nothing here"])
    sheet = book.create_sheet("Log")
    for row in (
        ["Report"],
        [],
        ["date", "place", "amount", "incidents"],
        ["2026-01-01", "Dock", 1, 0],
        ["2026-01-02", "Dock", 1, 1],
    ):
        sheet.append(row)
    packed = io.BytesIO()
    book.save(packed)
    path = staged(visitor, packed.getvalue(), "log.xlsx")
    assert "<option selected>Notes</option>" in visitor.get(path).text
    visitor.submit(f"{path}/look", {"sheet": "Log", "header": "3"}, seen=path)
    assert chosen(visitor, path)["place"] == "place"
    assert check(visitor, path) == f"{path}/report"
    visitor.submit(f"{path}/keep", seen=f"{path}/report")
    report = campaign.imports()[0].report
    assert (report.file, report.taken) == ("log.xlsx", 2)
    assert (report.read_as["sheet"], report.read_as["header"]) == ("Log", 3)
    path = staged(visitor, packed.getvalue(), "again.xlsx")
    assert "<option selected>Log</option>" in visitor.get(path).text
    check(visitor, path)
    text = visitor.get(f"{path}/report").text
    assert "Everything in this log is known already." in text and "/keep" not in text


def test_parquet(in_a_process, campaign, visitor, tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = {
        "Tag": ["2026-01-01", "2026-01-02"],
        "Ort": ["Dock", "Gate"],
        "Anzahl": [0, 1],
        "amount": [1.0, 0.5],
    }
    pandas.DataFrame(rows).to_parquet(tmp_path / "log.parquet")
    path = staged(visitor, (tmp_path / "log.parquet").read_bytes(), "log.parquet")
    assert check(visitor, path) == f"{path}/report"
    assert "2 places." in visitor.get(f"{path}/report").text


def test_refused_lines_are_listed_and_nothing_can_be_kept(campaign, visitor):
    lines = "".join(f"2026-01-{day:02},Dokc,1,0\n" for day in range(1, 20))
    content = f"date,place,amount,incidents\n{lines}2026-02-30,Dock,1,0\n2026-01-01,Dock,1,many\n".encode()
    path = staged(visitor, content)
    assert check(visitor, path) == f"{path}/report"
    text = visitor.get(f"{path}/report").text
    assert "21 lines cannot be taken" in text
    assert "19 lines (2, 3, 4 and 16 more): there is no place named" in text and "Did you mean Dock?" in text
    assert f'action="{path}/keep"' not in text
    answer = visitor.submit(f"{path}/keep", seen=f"{path}/report")
    assert answer.headers["location"] == f"{path}/report" and campaign.imports() == ()


@pytest.mark.parametrize(
    ("content", "changed", "sentence"),
    [
        (
            b"date,place,incidents\n2026-01-01,Dock,0\n",
            {},
            "expected “Amount granted”: what was granted then.",
        ),
        (PLAIN, {"first": "2026-01-01"}, "Only one day of the period is given"),
        (PLAIN, {"place": ""}, "The log has a column named place, and it is not chosen"),
        (b"date,where,amount,incidents\n2026-01-01,x,1,0\n", {}, "No column is chosen for place"),
        (
            b"date,place,amount,incidents\n2026-01-01,Dock,1,1\n",
            {},
            "the first and the last day for which the log is complete",
        ),
        (PLAIN, {"granted": "many"}, "Amount is &#39;many&#39;"),
        (PLAIN, {"place": "77"}, "The log has no such column for place"),
        (PLAIN, {"dates": "yyy"}, "Dates is &#39;yyy&#39;"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_wrong_is_a_sentence_of_this_page(campaign, visitor, content, changed, sentence):
    path = staged(visitor, content)
    assert check(visitor, path, **changed) == path
    text = visitor.get(path).text
    assert sentence in text and "(--" not in text
    assert campaign.last_event == 1


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"\0\1", "log.csv", "log.csv is not text"),
        (b"", "log.csv", "log.csv has no rows"),
        (PLAIN, "log.exe", "log.exe is not a table"),
        (b"PK\3\4 no workbook", "log.xlsx", "log.xlsx is not an Excel file that can be read"),
    ],
)
def test_a_file_that_is_no_log_is_a_sentence(in_a_process, campaign, visitor, content, name, sentence):
    assert send(visitor, content, name).headers["location"] == "/c/1/import"
    text = visitor.get("/c/1/import").text
    assert sentence in text and "/tmp" not in text and "sent." not in text


def test_no_file_is_a_sentence(campaign, visitor):
    assert visitor.submit("/c/1/import", seen="/c/1/import").headers["location"] == "/c/1/import"
    assert "No file was chosen." in visitor.get("/c/1/import").text


def test_what_is_known_otherwise_can_be_replaced(campaign, visitor, tmp_path):
    (tmp_path / "first.csv").write_bytes(PLAIN)
    campaign.import_log(tmp_path / "first.csv")
    path = staged(visitor, PLAIN.replace(b"Dock,1,0", b"Dock,1,1"))
    check(visitor, path)
    assert "or “Replace what is known otherwise”." in visitor.get(f"{path}/report").text
    assert check(visitor, path, correct="1") == f"{path}/report"
    visitor.submit(f"{path}/keep", seen=f"{path}/report")
    assert campaign.imports()[0].report.replaced == 1


def test_a_period_fills_quiet_days(campaign, visitor):
    path = staged(visitor, b"date,place,incidents\n2026-01-01,Dock,1\n2026-01-05,Dock,1\n")
    assert check(visitor, path, granted="0", first="2026-01-01", last="2026-01-10") == f"{path}/report"
    text = visitor.get(f"{path}/report").text
    assert "Quiet days added</dt><dd>8" in text and "Amount where the file has none: 0." in text


def test_a_log_that_waits_belongs_to_its_session(campaign, visitor, desk):
    path = staged(visitor, PLAIN)
    assert "log.csv</b> is waiting" in visitor.get("/c/1/import").text
    fields = visitor.fields(path)
    visitor.sign_in()  # anew
    assert visitor.get(path).status_code == 404
    assert "is waiting" not in visitor.get("/c/1/import").text
    token = visitor.fields("/c/1/import")["csrf"]
    for act in ("", "/keep", "/drop", "/look"):
        answer = visitor.post(f"{path}{act}", data={**fields, "csrf": token})
        assert answer.status_code == 404, act
    assert campaign.last_event == 1


def test_a_form_that_is_sent_twice_imports_once(campaign, visitor):
    path = staged(visitor, PLAIN)
    check(visitor, path)
    fields = visitor.fields(f"{path}/report")
    assert visitor.post(f"{path}/keep", data=fields).headers["location"] == "/c/1/import"
    assert visitor.post(f"{path}/keep", data=fields).status_code == 404
    assert len(campaign.imports()) == 1


def test_what_came_in_between_is_seen_when_it_is_kept(campaign, visitor, tmp_path):
    path = staged(visitor, PLAIN)
    check(visitor, path)
    (tmp_path / "other.csv").write_bytes(PLAIN.replace(b"Dock,1,0", b"Dock,1,1"))
    campaign.import_log(tmp_path / "other.csv")
    answer = visitor.submit(f"{path}/keep", seen=f"{path}/report")
    assert answer.headers["location"] == f"{path}/report"
    assert "known otherwise" in visitor.get(f"{path}/report").text and len(campaign.imports()) == 1


def test_the_page_has_words_for_every_option_that_the_library_names():
    """Each sentence that is replaced is one that the library says, word for word."""
    folder = Path(allotment.campaign.__file__).parent
    source = "".join(path.read_text() for path in folder.rglob("*.py"))
    said = re.sub(r'"\s*\n\s*f?"', "", source)
    for theirs, _ in ON_THIS_PAGE:
        looked_for = theirs.replace("--dates (dates=) with one of dmy, mdy, ymd", "--dates (dates=)")
        assert looked_for in said, theirs
