"""A new campaign: what its form holds, and how the form becomes a campaign."""

import io
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO

from starlette.datastructures import UploadFile

from allotment.campaign.forms import names
from allotment.campaign.logs.arm_table import read_arms
from allotment.campaign.settings.specification import SETTINGS, Field
from allotment.checks import one_of
from allotment.errors import AllotmentError, InputError
from allotment.web.files.uploads import plain_table
from allotment.web.requests.forms import Form
from allotment.web.requests.open_campaigns import OpenCampaigns
from allotment.web.security.limits import LONGEST_TEXT
from allotment.worlds.world import KINDS

ASKED = {each.name: each.page for each in SETTINGS if each.page is not None and each.page.new is not None}
FIELDS = ("name", "budget", "unit", "most", "table", "losses", *ASKED)


@dataclass(frozen=True)
class NewCampaign:
    """The form: what was typed so far, and what is wrong with it."""

    typed: dict[str, str]
    is_first: bool
    problem: str | None = None

    @property
    def asked(self) -> dict[str, Field]:
        """Further settings that the form has."""
        return ASKED

    @classmethod
    def blank(cls, name: str, *, is_first: bool) -> "NewCampaign":
        """The form as it first appears."""
        usual = {"name": name, "unit": "1", "losses": "binary", "timezone": names.timezone(None)}
        return cls({**dict.fromkeys(FIELDS, ""), **usual}, is_first)

    @classmethod
    def refused(cls, form: Form, sentence: str, *, is_first: bool) -> "NewCampaign":
        """The form again. The browser forgets the file, so its table stands in the field for typing."""
        typed, upload = form.given(FIELDS), form.upload("places")
        if upload is not None:
            typed["table"] = _table_in(upload)
            sentence += "" if typed["table"] else " Then choose the file again."
        return cls(typed, is_first, sentence)


def new_campaign_from(form: Form, campaigns: OpenCampaigns, author: str) -> int:
    """Make the campaign that a form describes, and return its number."""
    budget, unit = form.needed("budget"), form.needed("unit")
    losses = one_of("losses", form.text("losses") or "binary", KINDS)
    file, name = _table(form)
    with ExitStack() as stack:
        described = read_arms(stack.enter_context(plain_table(file, name)), most=form.text("most"))
        groups: dict[str, list[str]] = described.pop("groups")
        settings: dict[str, Any] = {
            **described,
            "groups": {group: {"arms": arms} for group, arms in groups.items()} or None,
            "budget": budget,
            "unit": unit,
            "losses": losses,
            **{name: form.text(name) for name in ASKED},
            "key": form.key,
        }
        return campaigns.create(form.needed("name"), author, **settings)


def _table_in(upload: UploadFile) -> str:
    """The table that was sent as text; empty if it cannot be read, or is too long for a field."""
    upload.file.seek(0)
    try:
        with plain_table(upload.file, upload.filename or "") as table:
            text = table.read_text("utf-8")
    except AllotmentError:
        return ""
    return text if len(text) <= LONGEST_TEXT else ""


def _table(form: Form) -> tuple[BinaryIO, str]:
    """The file that was sent, or what was typed instead."""
    upload, typed = form.upload("places"), form.text("table")
    if upload is not None:
        return upload.file, upload.filename or "places.csv"
    if typed is None:
        raise InputError("there are no places", "a file, or a table typed below it", what="places")
    return io.BytesIO(typed.encode()), "the table.csv"
