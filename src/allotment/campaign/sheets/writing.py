"""Duty sheets as files."""

from pathlib import Path

from allotment.campaign.sheets.duty_sheet import DutySheet
from allotment.campaign.sheets.sheet_html import html_of
from allotment.campaign.sheets.sheet_pdf import pdf_of
from allotment.checks import one_of
from allotment.files import AnyPath, replacing

FORMATS = ("html", "pdf")


def write_sheet(sheet: DutySheet, path: AnyPath) -> None:
    """Write a duty sheet as HTML or PDF, after the end of the file's name; an earlier sheet is replaced."""
    content = sheet_bytes(sheet, Path(path).suffix.lower().lstrip("."))
    with replacing(path) as draft:
        draft.write_bytes(content)


def sheet_bytes(sheet: DutySheet, kind: str) -> bytes:
    """A duty sheet as the content of a file: html or pdf."""
    if one_of("the ending of the sheet's file", kind, FORMATS) == "pdf":
        return pdf_of(sheet)
    return html_of(sheet).encode()
