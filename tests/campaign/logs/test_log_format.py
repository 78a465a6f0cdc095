"""Logs as other programs write them: their names of columns, headings, sheets, dates and times."""

import datetime

import pytest

from allotment import Campaign, InputError, NotFoundError
from allotment.campaign.logs.import_report import RefusedError

GERMAN = "Wachbuch 2024;;;\n\nDatum;Ort;Anzahl;Notiz\n31.12.24;Dock;1;x\n01.01.25;Dock;0;\n"
COLUMNS = {"date": "Datum", "place": "Ort", "incidents": "Anzahl"}
HEADING = "date,place,amount,incidents\n"


@pytest.fixture
def log(tmp_path):
    def write(text, name="log.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_columns_by_other_names_below_other_rows(campaign, log):
    report = campaign.import_log(log(GERMAN), columns=COLUMNS, header=3, amount=0)
    assert campaign.evidence() == [("Dock", 0, 2, 1)]
    assert (report.first, report.ignored_columns) == (datetime.date(2024, 12, 31), ("Notiz",))
    assert "Read with --columns date=Datum,place=Ort,incidents=Anzahl --header 3." in str(report)
    campaign.verify()
    wrong = GERMAN.replace("01.01.25", "1.1.1025")
    with pytest.raises(RefusedError, match="line 5 of log.csv was refused"):
        campaign.import_log(log(wrong), columns=COLUMNS, header=3, amount=0)


def test_the_same_heading_gets_the_same_options_proposed(campaign, log):
    campaign.import_log(log(GERMAN), columns=COLUMNS, header=3, amount=0)
    again = log(GERMAN.replace("24", "23").replace("25", "24"))
    proposed = "--columns date=Datum,place=Ort,incidents=Anzahl --header 3 --amount 0"
    with pytest.raises(
        InputError, match=f"the same heading as import-1, .* the options of that import: {proposed}$"
    ):
        campaign.import_log(again)
    campaign.undo("import-1")
    with pytest.raises(
        InputError,
        match=r"row 1 of the log has no column date .*, but Wachbuch 2023; .* --columns date=….* --header",
    ):
        campaign.import_log(again, amount=0)


def test_proposed_options_leave_the_period_to_the_next_log(campaign, log):
    period = ("2024-12-01", "2025-01-31")
    options = {"columns": COLUMNS, "header": 3, "amount": 0.5, "incidents": "any", "period": period}
    campaign.import_log(log(GERMAN), **options)
    with pytest.raises(InputError, match=r" --header 3 --amount 0\.5 --incidents any --period FIRST LAST$"):
        campaign.import_log(log(GERMAN))


def test_columns_that_are_not_there(campaign, log):
    with pytest.raises(
        NotFoundError, match="the log has no column 'Platz' for place; expected one of Datum, Ort"
    ):
        campaign.import_log(log(GERMAN), columns={**COLUMNS, "place": "Platz"}, header=3, amount=0)
    for wrong in ({"where": "Ort"}, {"place": ""}, {"place": "a\x1b"}, "Ort"):
        with pytest.raises(InputError, match="column"):
            campaign.import_log(log(GERMAN), columns=wrong, amount=0)
    with pytest.raises(InputError, match="header is 0"):
        campaign.import_log(log(GERMAN), header=0)


def test_a_sheet_and_a_heading_below_a_title(campaign, tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["nothing here"])
    sheet = book.create_sheet("Nights")
    for row in (["Log of 2024"], [], ["date", "place", "amount", "incidents"]):
        sheet.append(row)
    sheet.append([datetime.datetime(2024, 1, 1), "Dock", 0, 1])
    sheet.append([datetime.datetime(2024, 1, 2), "Dock", 0, 0])
    book.save(tmp_path / "log.xlsx")
    with pytest.raises(InputError, match="but nothing here; .*; or --sheet with another sheet: Nights$"):
        campaign.import_log(tmp_path / "log.xlsx")
    with pytest.raises(InputError, match="row 1 of the log has no column .*, if it is another$"):
        campaign.import_log(tmp_path / "log.xlsx", sheet="Nights")
    campaign.import_log(tmp_path / "log.xlsx", sheet="Nights", header=3)
    assert campaign.evidence() == [("Dock", 0, 2, 1)]
    with pytest.raises(NotFoundError, match="log.xlsx has no sheet 'Days'; expected one of Sheet, Nights"):
        campaign.import_log(tmp_path / "log.xlsx", sheet="Days")
    with pytest.raises(NotFoundError, match="log.xlsx has no sheet 'nigths'. Did you mean Nights?"):
        campaign.import_log(tmp_path / "log.xlsx", sheet="nigths")


def test_sheets_and_headers_where_there_are_none(campaign, log):
    with pytest.raises(InputError, match="log.csv has no sheets"):
        campaign.import_log(log(HEADING), sheet="Nights")
    with pytest.raises(InputError, match="log.parquet names its columns itself"):
        campaign.import_log(log("", "log.parquet"), header=2)


def test_dates_that_could_be_two_are_refused_until_their_order_is_given(campaign, log):
    path = log(HEADING + "03/04/2024,Dock,0,0\n05/04/2024,Dock,0,1\n")
    with pytest.raises(
        RefusedError, match=r"could be 2024-04-03 \(dmy\) or 2024-03-04 .* --dates"
    ) as refused:
        campaign.import_log(path)
    assert len(str(refused.value.report).splitlines()) == 3  # one sentence for both lines
    assert campaign.import_log(path, dates="mdy").first == datetime.date(2024, 3, 4)
    with pytest.raises(InputError, match="dates is 'dym'; expected"):
        campaign.import_log(path, dates="dym")


@pytest.mark.parametrize(
    ("starts", "days"), [(None, [1, 1, 2]), ("06:00", [31, 31, 1])], ids=["midnight", "morning"]
)
def test_times_belong_to_the_night_that_has_begun(tmp_path, log, starts, days):
    rows = "2024-01-01 02:30,Dock,0,0\n2024-01-01 00:00,Gate,0,0\n2024-01-02T05:59:59,Dock,0,1\n"
    settings = {"arms": ["Dock", "Gate"], "budget": 1, "unit": 1, "most": 1, "day_starts": starts}
    with Campaign.create(tmp_path / "a.db", "a", **settings) as campaign:
        campaign.import_log(log(HEADING + rows))
        found = campaign._current().imports[0].rows.day.tolist()
        assert sorted(datetime.date.fromordinal(day).day for day in found) == sorted(days)


def test_dates_written_with_midnight_are_dates(tmp_path, log):
    rows = "2024-01-01 00:00:00,Dock,0,0\n2024-01-02 00:00:00,Dock,0,1\n"
    settings = {"arms": ["Dock"], "budget": 1, "unit": 1, "most": 1, "day_starts": "06:00"}
    with Campaign.create(tmp_path / "a.db", "a", **settings) as campaign:
        assert campaign.import_log(log(HEADING + rows)).first == datetime.date(2024, 1, 1)
