"""Forms as routes read them. Reading a form checks its CSRF token, so that no route can forget that."""

import hashlib
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterable
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from allotment.errors import InputError
from allotment.web.requests.problems import ForgedFormError
from allotment.web.requests.visits import signed_in
from allotment.web.security.guard import SAFE
from allotment.web.security.limits import FIELDS, FILES, LONGEST_TEXT, UPLOAD_BYTES

CSRF_FIELD, CSRF_HEADER, KEY_FIELD, SEEN_FIELD = "csrf", "x-csrf-token", "key", "seen"
KEY_FORM = re.compile(r"[0-9a-f]{32}")


def new_key() -> str:
    """An idempotency key for a form: sending the form twice has no further effect."""
    return secrets.token_hex(16)


class Form:
    """What was typed into a form. A field that was left empty is None."""

    def __init__(self, sent: FormData) -> None:
        self._sent = sent

    def text(self, name: str) -> str | None:
        """The text of a field, without the space around it."""
        found = self._sent.get(name)
        if found is None:
            return None
        if not isinstance(found, str) or len(found) > LONGEST_TEXT:
            raise InputError(f"{name} is too long", f"at most {LONGEST_TEXT:,} characters", what=name)
        return found.strip() or None

    def needed(self, name: str) -> str:
        """The text of a field that must not be empty."""
        found = self.text(name)
        if found is None:
            raise InputError(f"{name.replace('_', ' ')} is empty", "a value", what=name)
        return found

    def flag(self, name: str) -> bool:
        """Whether a box is ticked, or a button with this name was pressed."""
        return self.text(name) is not None

    def texts(self, name: str) -> list[str]:
        """The texts of all fields of a name."""
        return [each for each in self._sent.getlist(name) if isinstance(each, str) and each]

    def by_name(self, prefix: str) -> dict[str, str]:
        """Texts by the rest of their fields' names: `losses:Dock` is Dock under the prefix `losses:`."""
        return {
            name.removeprefix(prefix): value
            for name, value in self._sent.multi_items()
            if name.startswith(prefix) and isinstance(value, str)
        }

    def upload(self, name: str) -> UploadFile | None:
        """The file of a field; None if no file was chosen."""
        found = self._sent.get(name)
        return found if isinstance(found, UploadFile) and found.filename else None

    @property
    def key(self) -> str:
        """The idempotency key that the page wrote into the form.

        Keys of scripts and programs look otherwise, so that no browser can use up a key that is theirs.
        """
        found = self.needed(KEY_FIELD)
        if not KEY_FORM.fullmatch(found):
            raise InputError.of(KEY_FIELD, found, "the key that the page wrote: open the page again")
        return found

    def seen(self) -> dict[str, str]:
        """The values of fields as the page showed them, from its hidden field; empty if it has none.

        What its sender left as it was is no change, even if somebody else has changed it since.
        """
        try:
            found = json.loads(str(self._sent.get(SEEN_FIELD) or "{}"))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
            raise InputError(f"{SEEN_FIELD} is not what the page wrote", "the page opened again", what="form")
        return found

    def given(self, names: Iterable[str]) -> dict[str, str]:
        """What was typed, to show it again beside a sentence on what is wrong."""
        return {name: self.text(name) or "" for name in names}


async def checked_form(request: Request) -> AsyncIterator[Form | None]:
    """The form of an unsafe request, after its token was checked; None for others.

    The application asks this of every page, so that a route that reads no form is protected, too.
    """
    if request.method in SAFE:
        yield None
        return
    right = signed_in(request).csrf  # first: of a stranger's request, nothing is parsed
    async with request.form(max_files=FILES, max_fields=FIELDS, max_part_size=UPLOAD_BYTES) as form:
        sent = request.headers.get(CSRF_HEADER) or form.get(CSRF_FIELD)
        if not isinstance(sent, str) or not secrets.compare_digest(sent.encode(), right.encode()):
            raise ForgedFormError
        yield Form(form)


def sent_form(found: Annotated[Form | None, Depends(checked_form)]) -> Form:
    """The form, for routes of unsafe methods."""
    if found is None:
        raise ForgedFormError
    return found


SentForm = Annotated[Form, Depends(sent_form)]


def key_of(form_key: str, *content: Any) -> str:
    """A key of a form and its content: the same form with other content is another request.

    So sending a form twice has no further effect, and going back to change it is no conflict.
    """
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(f"{len(form_key)}:{form_key}{text}".encode()).hexdigest()[:32]
