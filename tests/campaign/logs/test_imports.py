"""Logs: in every dialect, with every fault; what becomes of their rows."""

import datetime

import pytest

from allotment import Campaign, ConflictError, FileError, InputError
from allotment.campaign.forms import names
from allotment.campaign.logs import importing
from allotment.campaign.logs.import_report import RefusedError

HEADING = "date,place,amount,incidents\n"
LOG = HEADING + "2024-01-01,Dock,2.5,1\n2024-01-02,Dock,0,0\n2024-01-02,Gate,0,1\n"
ROWS = [("Dock", 0, 1, 0), ("Dock", 2.5, 1, 1), ("Gate", 0, 1, 1)]


@pytest.fixture
def log(tmp_path):
    def write(text, name="log.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return write


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (LOG, "utf-8"),
        (LOG, "utf-8-sig"),
        (LOG, "utf-16"),
        (LOG.replace(",", ";").replace("2.5", "2,5"), "cp1252"),
        (LOG.replace(",", "\t").replace("2.5", "2,5"), "utf-8"),
        (LOG.replace("2.5", '"2,5"').replace("\n", "\r\n"), "utf-8"),
        (LOG.replace("date", "Date ").replace("2024-01-01", "01.01.2024"), "utf-8"),
        (LOG.replace("\n", "\n\n"), "utf-8"),
        ("note," + LOG.replace("\n2", "\nGrüße,2"), "cp1252"),
    ],
)
def test_csv_in_many_dialects(campaign, log, text, encoding):
    report = campaign.import_log(log(text, encoding=encoding))
    assert campaign.evidence() == ROWS
    assert (report.id, report.read, report.taken, report.rounds, report.incidents) == ("import-1", 3, 3, 3, 2)
    assert (report.first, report.last) == (datetime.date(2024, 1, 1), datetime.date(2024, 1, 2))
    assert report.places == ("Dock", "Gate")
    assert report.without_rows == ("Yard",)


def test_excel_and_parquet(campaign, tmp_path):
    import openpyxl
    import pandas

    book = openpyxl.Workbook()
    book.active.append(["date", "place", "amount", "incidents"])
    book.active.append([datetime.datetime(2024, 1, 1), "Dock", 2.5, 1])
    book.active.append([datetime.date(2024, 1, 2), "Dock", 0, 0])
    book.active.append(["2024-01-02", "Gate", 0.0, 1.0])
    book.save(tmp_path / "log.xlsx")
    campaign.import_log(tmp_path / "log.xlsx")
    assert campaign.evidence() == ROWS
    campaign.undo("import-1")
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), datetime.date(2024, 1, 2)]
    frame = pandas.DataFrame(
        {"date": days, "place": ["Dock", "Dock", "Gate"], "amount": [2.5, 0, 0], "incidents": [1, 0, 1]}
    )
    frame.to_parquet(tmp_path / "log.parquet")
    assert campaign.import_log(tmp_path / "log.parquet").id == "import-2"
    assert campaign.evidence() == ROWS
    for name in ("wrong.xlsx", "wrong.parquet"):
        (tmp_path / name).write_bytes(b"no such thing")
        with pytest.raises(FileError, match=f"{name} is not a"):
            campaign.import_log(tmp_path / name)


def test_rows_of_a_place_date_and_amount_are_added_up(campaign, log):
    text = HEADING.replace("incidents", "incidents,exposure")
    text += "2024-01-01,Dock,1,1,3\n2024-01-01,Dock,1.0,0,2\n2024-01-01,Dock,2,1,1\n"
    report = campaign.import_log(log(text))
    assert campaign.evidence() == [("Dock", 1, 5, 1), ("Dock", 2, 1, 1)]
    assert (report.read, report.taken) == (3, 2)


def test_what_is_known_is_skipped_refused_or_corrected(campaign, log):
    plan = campaign.ask(date="2024-01-05")
    campaign.tell("1", {"Dock": 1})
    granted = plan.amounts["Dock"]
    campaign.import_log(log(LOG))
    more = LOG + f"2024-01-03,Yard,0,0\n2024-01-05,Dock,{granted},1\n"
    report = campaign.import_log(log(more))
    assert (report.taken, report.skipped) == (1, 4)
    other = more.replace("Gate,0,1", "Gate,0,0").replace(f"Dock,{granted},1", f"Dock,{granted},0")
    before = campaign.evidence()
    with pytest.raises(
        RefusedError, match=r"2 lines of log.csv were refused .* the first is line 4: its place"
    ) as no:
        campaign.import_log(log(other))
    assert [each.line for each in no.value.report.refused] == [4, 6]
    assert campaign.evidence() == before
    trial = campaign.import_log(log(other), dry_run=True)
    assert (trial.id, [each.line for each in trial.refused]) == (None, [4, 6])
    report = campaign.import_log(log(other), correct=True)
    assert (report.taken, report.replaced, report.skipped) == (2, 2, 3)
    rows = {row[:2]: row[2:] for row in campaign.evidence()}
    assert rows["Gate", 0] == (1, 0)
    assert rows["Dock", granted] == (1, 0)
    campaign.undo(report.id)
    assert campaign.evidence() == before
    with pytest.raises(ConflictError, match="import-3 was undone already"):
        campaign.undo(report.id)
    campaign.verify()


def test_a_log_of_incidents_only_needs_a_period(campaign, log, monkeypatch):
    incidents = log("date,place,incidents\n2024-01-01,Dock,1\n2024-01-03,Dock,1\n2024-01-03,Gate,1\n")
    with pytest.raises(InputError, match="the log has no column amount; expected --amount"):
        campaign.import_log(incidents)
    with pytest.raises(
        InputError, match=r"has no quiet rows, so that every loss rate would be 1; expected --period"
    ):
        campaign.import_log(incidents, amount=0)
    with pytest.raises(InputError, match="the quiet days have no amount"):
        campaign.import_log(incidents, period=("2024-01-01", "2024-01-10"))
    report = campaign.import_log(incidents, amount=0, period=("2024-01-01", datetime.date(2024, 1, 10)))
    assert campaign.evidence() == [("Dock", 0, 10, 2), ("Gate", 0, 10, 1)]
    assert (report.taken, report.quiet) == (20, 17)
    assert report.period == ("2024-01-01", "2024-01-10")
    assert "No row names Yard" in str(report)
    with pytest.raises(RefusedError, match="line 2 .*its date is not in the period"):
        campaign.import_log(incidents, amount=0, period=("2024-01-02", "2024-01-10"))
    with pytest.raises(InputError, match="has 1,461 rounds for 2 places; expected at most 1,000"):
        monkeypatch.setattr(importing, "MOST_ROUNDS", 1_000)
        campaign.import_log(incidents, amount=0, period=("2021-01-01", "2024-12-31"))
    for period in (("2024-01-01", "2200-12-31"), ("1824-01-01", "2024-12-31")):
        with pytest.raises(InputError, match="expected days from 1900-01-01 to tomorrow, "):
            campaign.import_log(incidents, amount=0, period=period)
    with pytest.raises(InputError, match="period is '2024-01-10 to 2024-01-01'"):
        campaign.import_log(incidents, amount=0, period=("2024-01-10", "2024-01-01"))


def test_a_log_without_quiet_rows_may_repeat_and_correct_known_days(campaign, log):
    campaign.import_log(log(LOG))
    wrong = HEADING + "2024-01-02,Dock,0,1\n"
    new = "2024-02-01,Yard,0,1\n"
    with pytest.raises(RefusedError, match="line 2 of log.csv was refused .* known otherwise"):
        campaign.import_log(log(wrong))
    with pytest.raises(RefusedError, match="line 2 of log.csv was refused .* known otherwise"):
        campaign.import_log(log(wrong + new))
    with pytest.raises(InputError, match="no quiet rows"):
        campaign.import_log(log(wrong + new), correct=True)
    assert campaign.import_log(log(wrong), correct=True).replaced == 1
    assert campaign.import_log(log(wrong)).skipped == 1
    campaign.verify()


def test_places_of_refused_lines_are_not_said_to_have_no_row(campaign, log):
    outside = log("date,place,incidents\n2024-01-01,Dock,1\n2024-01-03,Gate,1\n")
    options = {"amount": 0, "period": ("2024-01-02", "2024-01-10"), "dry_run": True}
    report = campaign.import_log(outside, **options)
    assert [each.line for each in report.refused] == [2]
    assert report.without_rows == ()
    assert "No row names" not in str(report)


def test_two_incidents_of_a_night_are_one_round_of_a_log_of_incidents(campaign, log):
    twice = log("date,place,incidents\n2024-01-01,Dock,1\n2024-01-01,Dock,1\n")
    options = {"amount": 0, "period": ("2024-01-01", "2024-01-04")}
    with pytest.raises(RefusedError, match="more incidents than rounds"):
        campaign.import_log(twice, **options)
    campaign.import_log(twice, **options, incidents="any")
    assert campaign.evidence() == [("Dock", 0, 4, 1)]


def test_more_incidents_than_rounds(campaign, log):
    text = (
        HEADING.replace("incidents", "incidents,exposure") + "2024-01-01,Dock,0,3,2\n2024-01-02,Dock,0,1,5\n"
    )
    with pytest.raises(RefusedError, match="line 2 .*more incidents than rounds"):
        campaign.import_log(log(text))
    campaign.import_log(log(text), incidents="any")
    assert campaign.evidence() == [("Dock", 0, 7, 3)]


def test_counts_may_have_parts_of_rounds(tmp_path, log):
    settings = {"arms": ["Dock"], "budget": 1, "unit": 1, "most": 1, "losses": "counts"}
    text = "date,place,amount,incidents,exposure\n" + "".join(
        f"2024-01-0{i},Dock,0,3,0.1\n" for i in range(1, 4)
    )
    with Campaign.create(tmp_path / "a.db", "a", **settings) as campaign:
        with pytest.raises(InputError, match="no quiet rows"):
            campaign.import_log(log(text))
        campaign.import_log(log(text + "2024-01-09,Dock,0,0,0.1\n"))
        assert campaign.evidence() == [("Dock", 0, 0.4, 9)]


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("", InputError, "the log is empty; expected a heading"),
        (HEADING, InputError, "has a heading and no rows"),
        (b"\xff\xfe\x00", FileError, "cannot read"),
        (b"date,place\x00,amount", FileError, "is not text"),
        (b"date,place,\x81\n", FileError, "is in no known encoding"),
        (
            "a,b\n1,2\n",
            InputError,
            "row 1 of the log has no column date or place or incidents, but a, b",
        ),
        (HEADING.replace("place", "date"), InputError, "column date is there twice"),
        (
            LOG + "2024-01-03,Dock\n",
            RefusedError,
            "line 5 .*there are 2 cells; expected 4, as in the heading",
        ),
        (LOG + "2024-01-03,Shed,0,0\n", RefusedError, "line 5 .*there is no place named 'Shed'"),
        (LOG + "2024-13-03,Dock,0,0\n", RefusedError, "line 5 .*date is '2024-13-03'"),
        (LOG + "01/02/2024,Dock,0,0\n", RefusedError, "line 5 .*date is '01/02/2024'"),
        (LOG + "2024-01-03,Dock,-1,0\n", RefusedError, "line 5 .*amount is '-1'"),
        (LOG + "2024-01-03,Dock,nan,0\n", RefusedError, "line 5 .*amount is 'nan'"),
        (LOG + "2024-01-03,Dock,,0\n", RefusedError, "line 5 .*amount is ''"),
        (LOG + "2024-01-03,Dock,0,-1\n", RefusedError, "line 5 .*incidents is '-1'"),
        (LOG + "2024-01-03,Dock,0,1.5\n", RefusedError, "line 5 .*incidents is '1.5'"),
        (LOG + '2024-01-03,"Dock,0,0\n', FileError, "cannot read"),
    ],
)
def test_faulty_logs_leave_the_history_as_it_was(campaign, log, text, error, sentence):
    with pytest.raises(error, match=sentence):
        campaign.import_log(log(text))
    assert len(list(campaign.history())) == 1


def test_a_log_that_is_not_there(campaign, tmp_path):
    with pytest.raises(FileError, match="cannot read .*none.csv: No such file"):
        campaign.import_log(tmp_path / "none.csv")
    with pytest.raises(FileError, match="cannot read"):
        campaign.import_log(tmp_path)


def test_the_same_import_under_the_same_key_is_the_same(campaign, log):
    first = campaign.import_log(log(LOG), key="k")
    assert campaign.import_log(log(LOG), key="k") == first
    assert len(list(campaign.history())) == 2
    with pytest.raises(ConflictError, match="key 'k' was used for another request"):
        campaign.import_log(log(LOG + "2024-01-09,Yard,0,0\n"), key="k")


@pytest.mark.parametrize(
    ("day", "read"), [("31.12.25", (2025, 12, 31)), ("1.2.68", None), ("1.2.69", (1969, 2, 1))]
)
def test_two_digit_years_are_of_this_age(campaign, log, day, read):
    path = log(HEADING + f"{day},Dock,0,0\n")
    if read is None:
        with pytest.raises(RefusedError, match="expected a date from 1900-01-01 to tomorrow, "):
            campaign.import_log(path)
    else:
        assert campaign.import_log(path).first == datetime.date(*read)


def test_the_last_date_of_a_log_is_tomorrow(campaign, log):
    today = names.day("today", None, "Europe/Vienna")
    tomorrow, later = today + datetime.timedelta(days=1), today + datetime.timedelta(days=2)
    assert campaign.import_log(log(HEADING + f"{tomorrow},Dock,0,0\n")).last == tomorrow
    for day in (later, "1899-12-31", "0025-12-31"):
        with pytest.raises(RefusedError, match="line 2 of log.csv .* expected a date from 1900-01-01"):
            campaign.import_log(log(HEADING + f"{day},Dock,0,0\n"))


def test_refused_rows_are_no_evidence_and_no_dates(campaign, log):
    counted = HEADING.replace("incidents", "incidents,exposure")
    rows = "2024-01-05,Dock,0,0,1\n2020-01-01,Dock,0,3,1\n2025-01-01,Gate,0,2,1\n"
    report = campaign.import_log(log(counted + rows), dry_run=True)
    assert [each.line for each in report.refused] == [3, 4]
    assert (report.taken, report.rounds, report.incidents) == (1, 1, 0)
    assert (report.first, report.last) == (datetime.date(2024, 1, 5), datetime.date(2024, 1, 5))
    twice = log("date,place,incidents\n2024-01-01,Dock,1\n2024-01-01,Dock,1\n2024-01-03,Dock,1\n")
    period = ("2024-01-01", "2024-01-04")
    report = campaign.import_log(twice, amount=0, period=period, dry_run=True)
    assert (report.taken, report.quiet) == (3, 2)  # the day that was refused was not a quiet one


def test_the_same_mistake_on_many_lines_is_one_sentence(campaign, log):
    rows = "".join(f"2024-13-{day:02},Dock,0,0\n" for day in range(1, 29)) + "2024-01-01,Shed,0,0\n"
    with pytest.raises(RefusedError) as refused:
        campaign.import_log(log(HEADING + rows))
    said = str(refused.value.report).splitlines()
    assert said[1] == "29 lines refused, so nothing is imported."
    assert said[2].startswith("28 lines (2, 3, 4 and 25 more): date is '2024-13-01'; expected a date such as")
    assert said[3].startswith("Line 30: there is no place named 'Shed'")
    assert len(said) == 4
