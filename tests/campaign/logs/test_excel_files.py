"""Excel files: the same cells that openpyxl finds, and one sentence for whatever cannot be read."""

import datetime
import io
import random
import zipfile

import openpyxl
import pytest

from allotment import FileError
from allotment.campaign.logs import excel_files
from allotment.campaign.logs import excel_files as excel_sheet
from allotment.campaign.logs.log_files import _text, lines_of

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SHEET, STYLES, TEXTS, TYPES = (
    "xl/worksheets/sheet1.xml",
    "xl/styles.xml",
    "xl/sharedStrings.xml",
    "[Content_Types].xml",
)
SHARED = (
    '<Override PartName="/xl/sharedStrings.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
)


def saved(book):
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def plain():
    book = openpyxl.Workbook()
    book.active.append(["date", "place"])
    book.active.append([datetime.datetime(2024, 1, 1), "Dock"])
    return saved(book)


def with_parts(parts, packing=zipfile.ZIP_DEFLATED):
    """A workbook in which some parts are replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain())) as before, zipfile.ZipFile(out, "w", packing) as after:
        for name in before.namelist():
            if name not in parts:
                after.writestr(name, before.read(name))
        for name, content in parts.items():
            after.writestr(name, content)
    return out.getvalue()


def sheet(rows, before=""):
    return {SHEET: f"<worksheet {MAIN}>{before}<sheetData>{rows}</sheetData></worksheet>"}


def texts(items):
    with zipfile.ZipFile(io.BytesIO(plain())) as book:
        types = book.read(TYPES).decode().replace("</Types>", SHARED)
    return {TYPES: types, TEXTS: f"<sst {MAIN}>{items}</sst>"}


@pytest.fixture
def read(tmp_path):
    def lines(content):
        path = tmp_path / "table.xlsx"
        path.write_bytes(content)
        return list(lines_of(path, ("date", "place")))

    return lines


@pytest.mark.parametrize("epoch", [openpyxl.utils.datetime.WINDOWS_EPOCH, openpyxl.utils.datetime.MAC_EPOCH])
def test_cells_of_every_kind(read, epoch):
    book = openpyxl.Workbook()
    book.epoch = epoch
    for row in (
        ["date", "place", "a", "b", None, "c"],
        [datetime.datetime(2024, 2, 29), "Dock", 2.5, 1, None, True],
        [datetime.date(1999, 12, 31), "Gräte & <Tor>", -3, 1e-7, "note"],
        [],
        [datetime.datetime(2024, 1, 1, 6, 30), " Gate ", 1e15, 0, None, "#N/A"],
        [datetime.time(6, 30), None, datetime.timedelta(hours=30)],
        [None, "x"],
    ):
        book.active.append(row)
    content = saved(book)
    found = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
    expected = [(i, [_text(cell) for cell in row]) for i, row in enumerate(found.values, start=1)]
    assert read(content) == [(number, cells) for number, cells in expected if any(cells)]


def test_shared_rich_and_phonetic_texts_and_cached_formulas(read):
    shared = "<si><t>date</t></si><si><r><t>pl</t></r><r><t>ace</t></r><rPh><t>no</t></rPh></si>"
    rows = (
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
        '<row><c t="str"><f>"20"&amp;A9</f><v>2024-01-01</v></c>'
        '<c t="inlineStr"><is><r><t>Do</t></r><r><t>ck</t></r></is></c></row>'
        '<row r="7"><c r="B7" t="d"><v>2024-03-01</v></c></row>'
    )
    book = with_parts(texts(shared) | sheet(rows))
    assert read(book) == [(1, ["date", "place"]), (2, ["2024-01-01", "Dock"]), (7, ["", "2024-03-01"])]


@pytest.mark.parametrize("claimed", ["A1", "A1:B2", "A1:XFD1048576", "nonsense"])
def test_what_a_sheet_says_of_its_size_is_not_trusted(read, claimed):
    rows = '<row><c t="str"><v>date</v></c><c t="str"><v>place</v></c></row><row><c><v>1</v></c></row>'
    found = with_parts(sheet(rows, f'<dimension ref="{claimed}"/>'))
    assert read(found) == [(1, ["date", "place"]), (2, ["1", ""])]


def test_a_date_beyond_the_last_is_a_cell_that_shows_so(read):
    row = '<row><c s="1"><v>{}</v></c></row>'
    with zipfile.ZipFile(io.BytesIO(plain())) as book:
        assert b'r="A2" s="1"' in book.read(SHEET)
    rows = "".join(row.format(number) for number in (45292, 2958466, 1e300, "1e999"))
    assert [cells for _, cells in read(with_parts(sheet(rows)))] == [["2024-01-01 00:00:00"]] + [
        ["#VALUE!"]
    ] * 3


ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
HOSTILE = {
    "far column": (sheet('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'), "in column 16,384"),
    "far row": (sheet('<row r="99999999999"/>'), "a row 99,999,999,999; expected at most 2,000,000 rows"),
    "no row": (sheet('<row r="x"/>'), "is not an Excel file that can be read: could not convert"),
    "rows back": (sheet('<row r="2"/><row r="2"/>'), "has row 2 after row 2; expected rows in their order"),
    "long row": (sheet("<row>" + '<c r="A1"/>' * 100_001 + "</row>"), "expected at most 100,000 elements"),
    "long cell": (sheet(f"<row><c><v>{'1' * 2**21}</v></c></row>"), "a cell without an end"),
    "long name": (sheet('<row r="' + "a>" * 2**20 + '"/>'), "a cell without an end"),
    "long number": (sheet(f"<row><c><v>{'1' * 5000}</v></c></row>"), "is not an Excel file"),
    "no such text": (sheet('<row><c t="s"><v>7</v></c></row>'), "is not an Excel file"),
    "broken sheet": ({SHEET: f"<worksheet {MAIN}><sheetData>"}, "that can be read: no element found"),
    "broken styles": ({STYLES: "<a"}, "is not an Excel file"),
    "many styles": ({STYLES: "<a>" + "<b/>" * 100_001 + "</a>"}, "expected at most 100,000 elements"),
    "large styles": ({STYLES: " " * 2**25}, "too much in xl/styles.xml"),
    "entities": ({SHEET: ENTITIES + sheet("<row><c><v>&b;</v></c></row>")[SHEET]}, "declares entities"),
    "UTF-16": ({STYLES: f"{ENTITIES}<a>&b;</a>".encode("utf-16")}, "declares entities"),
    "no sheet": ({"xl/workbook.xml": f"<workbook {MAIN}><sheets/></workbook>"}, "has no sheet"),
    "many texts": (texts(f"<si>{'<r/>' * 100_001}</si>"), "expected at most 100,000 elements"),
    "zeros": (sheet("<row/>" + " " * 2**26), "unpacks to more than 200 times its size"),
}


@pytest.mark.parametrize(("parts", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_what_cannot_be_read_gets_a_sentence(read, parts, sentence):
    with pytest.raises(FileError, match=sentence):
        read(with_parts(parts))


def test_limits_of_rows_bytes_and_parts(read, monkeypatch):
    monkeypatch.setattr(excel_sheet, "MOST_ROWS", 3)
    with pytest.raises(FileError, match="at most 3 rows; delete what is not part of the table, or split"):
        read(with_parts(sheet("<row/>" * 4)))
    with pytest.raises(FileError, match="at most 3 rows"):
        read(with_parts(texts("<si/>" * 4)))
    monkeypatch.setattr(excel_files, "MOST_PARTS", 3)
    with pytest.raises(FileError, match="has too many parts"):
        read(plain())
    monkeypatch.setattr(excel_files, "MOST_BYTES", 100)
    monkeypatch.setattr(excel_files, "MOST_PARTS", 100)
    with pytest.raises(FileError, match="expected at most 100 bytes"):
        read(plain())


@pytest.mark.parametrize("part", [SHEET, STYLES])
def test_a_directory_that_lies_about_sizes(read, part):
    content = bytearray(with_parts({}))
    entry = content.rfind(part.encode()) - 46
    size = int.from_bytes(content[entry + 24 : entry + 28], "little")
    content[entry + 24 : entry + 28] = (size - 10).to_bytes(4, "little")
    with pytest.raises(FileError, match=r"holds more than its directory says|Bad CRC"):
        read(bytes(content))


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_unpack_without_limit(read, packing):
    with pytest.raises(FileError, match="packed in a way that Excel does not use"):
        read(with_parts({}, packing))


def test_flipped_bits_give_cells_or_a_sentence(read):
    content, luck, refused = plain(), random.Random(5), 0
    for _ in range(60):
        damaged = bytearray(content)
        damaged[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
        try:
            read(bytes(damaged))
        except FileError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1
    assert refused > 10
