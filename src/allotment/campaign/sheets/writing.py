"""Duty sheets as files."""

from collections.abc import Sequence
from pathlib import Path

from allotment.campaign.sheets.duty_sheet import DutySheet
from allotment.campaign.sheets.sheet_html import html_of
from allotment.campaign.sheets.sheet_pdf import pdf_of
from allotment.checks import one_of
from allotment.errors import InputError
from allotment.system.files import AnyPath, replacing

FORMATS = ("html", "pdf")


def write_sheets(sheets: Sequence[DutySheet], path: AnyPath) -> None:
    """Write duty sheets as HTML or PDF, after the end of the file's name; an earlier file is replaced."""
    if not sheets:
        raise InputError("there is no plan to print", "at least one", what="plan")
    content = sheet_bytes(sheets, Path(path).suffix.lower().lstrip("."))
    with replacing(path) as draft:
        draft.write_bytes(content)


def sheet_bytes(sheets: Sequence[DutySheet], kind: str) -> bytes:
    """Duty sheets as the content of a file: html or pdf."""
    if one_of("the ending of the sheet's file", kind, FORMATS) == "pdf":
        return pdf_of(sheets)
    return html_of(sheets).encode()
