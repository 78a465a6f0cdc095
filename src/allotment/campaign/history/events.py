"""Events: everything that was asked, told and changed, in order, chained by hash."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from allotment.campaign.forms.names import checked_name
from allotment.campaign.forms.read_only import changeable, read_only
from allotment.campaign.history.event_parts import redacted
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.errors import HistoryError, InputError, shown

ORIGIN = ""  # what the first event follows
OLDEST_WRITTEN = 2  # version of payloads; `kinds.py` has the newest
LARGEST = 2**27  # bytes of a payload; some six million rows of a log


def text_of(content: Any) -> str:
    """Plain data as canonical JSON, without infinite or missing numbers."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def new_key() -> str:
    """Make a key for a request without one."""
    return secrets.token_hex(16)


KEY_SHOWN = 120  # characters of a key that the key of a part begins with, for people


def checked_key(key: Any) -> str:
    """The key of a request: as given, or a new one."""
    if key is None:
        return new_key()
    if not isinstance(key, str) or not 0 < len(key) <= 200 or not key.isprintable():
        raise InputError.of("key", key, "a text of 1 to 200 characters")
    return key


def digest(*parts: str) -> str:
    """SHA-256 of several texts. Each is preceded by its length, so that no two lists of texts look alike."""
    found = hashlib.sha256()
    for part in parts:
        content = part.encode()
        found.update(f"{len(content)}:".encode())
        found.update(content)
    return found.hexdigest()


def key_of_part(key: str | None, part: int) -> str | None:
    """The key of one of several events that a request of a key leads to; it is not too long either."""
    return None if key is None else f"{key[:KEY_SHOWN]}/{part}/{digest(key, str(part))[:32]}"


@dataclass(frozen=True)
class Request:
    """A request by its author, key and content. The same key and content mean the same event."""

    by: str
    key: str
    digest: str
    has_key: bool = True  # whether it came with its key

    @classmethod
    def of(cls, by: str, key: Any, name: str, arguments: Mapping[str, Any]) -> "Request":
        """A request by its name and arguments. Equal arguments give equal digests."""
        try:
            said = json.dumps(arguments, sort_keys=True, default=repr)
        except (TypeError, ValueError):  # keys that are no names
            said = repr(arguments)
        return cls(by, checked_key(key), digest(name, said), key is not None)


@dataclass(frozen=True)
class Draft:
    """An event to be written: its kind and payload. `kinds.drafted` makes one with its version."""

    kind: str
    payload: Mapping[str, Any]
    version: int = OLDEST_WRITTEN  # the version that is needed to read it


@dataclass(frozen=True)
class Event:
    """An event of a campaign.

    Attributes
    ----------
    number : int
        Its number, from 1.
    at : datetime.datetime
        The time, in UTC.
    by : str
        The author.
    kind : str
        "asked", "told", "changed", …
    version : int
        The version of the payload's format.
    key, request : str
        The idempotency key, and the digest of the request.
    text : str
        The payload as it was hashed; `payload` is the same as plain data.
    hash : str
        The hash over this event and its predecessor's hash.
    """

    number: int
    at: datetime
    by: str
    kind: str
    version: int
    key: str
    request: str
    text: str = field(repr=False)
    hash: str = field(repr=False)

    @classmethod
    def after(cls, previous: str, number: int, at: datetime, request: Request, draft: Draft) -> "Event":
        """Make the event that follows the event with the hash `previous`.

        Parameters
        ----------
        previous : str
            The hash of the predecessor.
        number : int
            The number of the new event.
        at : datetime.datetime
            The time.
        request : Request
            The request.
        draft : Draft
            The kind and the payload.

        Returns
        -------
        Event
            The event, with its hash.
        """
        text = text_of(draft.payload)
        if len(text.encode()) > LARGEST:
            raise InputError(
                f"this is {len(text)} characters in one step", f"at most {LARGEST}: split it", what="size"
            )
        unsealed = cls(
            number, at, request.by, draft.kind, draft.version, request.key, request.digest, text, ""
        )
        return replace(unsealed, hash=unsealed.sealed(previous))

    def sealed(self, previous: str) -> str:
        """Compute the hash of this event after a predecessor.

        Parameters
        ----------
        previous : str
            The hash of the predecessor.

        Returns
        -------
        str
            The hash.
        """
        head = (
            str(self.number),
            moment(self.at),
            self.by,
            self.kind,
            str(self.version),
            self.key,
            self.request,
        )
        return digest(previous, *head, self.text)

    def check_follows(self, number: int, seal: str) -> None:
        """Raise an error unless this event follows another.

        Parameters
        ----------
        number : int
            The number of the predecessor.
        seal : str
            Its hash.

        Raises
        ------
        HistoryError
            If it does not: the history was edited.
        """
        try:
            follows = self.number == number + 1 and self.sealed(seal) == self.hash
        except UnicodeEncodeError:  # half a character, which JSON can hold, and no event of ours does
            follows = False
        if not follows:
            raise HistoryError(
                f"event {self.number} does not follow event {number}: the history was changed; "
                "`allotment restore` brings back a backup"
            )

    def check_form(self) -> None:
        """Raise an error unless author, key, request and version are well-formed."""
        checked_name("author", self.by)
        checked_key(self.key)
        checked_key(self.request)
        if self.version < 1:
            raise InputError.of("version", self.version, "a number from 1")

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The content of the event, as plain data that cannot be changed. It is parsed once."""
        try:
            found = read_only(json.loads(self.text))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise HistoryError(f"event {self.number} cannot be read")
        return found

    @cached_property
    def plan(self) -> PlanPayload:
        """The plan that this event recorded, typed."""
        try:
            return PlanPayload.of(self.payload)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise HistoryError(f"event {self.number} (a plan) cannot be read; `allotment verify`") from None

    @property
    def plan_id(self) -> str | None:
        """The plan that the event is about, or None."""
        return self.payload.get("plan")

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data, with a copy of its payload."""
        head = {"number": self.number, "at": moment(self.at), "by": self.by, "kind": self.kind}
        tail = {"version": self.version, "key": self.key, "request": self.request, "hash": self.hash}
        return {**head, "payload": changeable(self.payload), **tail}

    def redacted(self) -> dict[str, Any]:
        """The event as plain data without the campaign's seed, for those who may not see it.

        Its hashes are left out, too: a short seed could be found by trying all of them.
        """
        return redacted(self.to_dict())

    @classmethod
    def from_dict(cls, content: Any) -> "Event":
        """Make an event from the plain data that `to_dict` gives.

        Parameters
        ----------
        content : mapping
            The plain data.

        Returns
        -------
        Event
            The event.

        Raises
        ------
        HistoryError
            If the content is no event.
        """
        try:
            kinds = {"number": int, "version": int, "by": str, "kind": str, "key": str, "request": str}
            parts = {name: content[name] for name in (*kinds, "hash")}
            event = cls(**parts, at=from_moment(content["at"]), text=text_of(content["payload"]))
            sound = all(type(parts[name]) is kind for name, kind in {**kinds, "hash": str}.items())
            sound = sound and content.keys() == {*parts, "at", "payload"}
        except (KeyError, TypeError, ValueError, AttributeError):
            sound = False
        if not sound:
            raise HistoryError(f"{shown(content)} is not an event")
        return event


def chained(events: Iterable[Event]) -> Iterator[Event]:
    """Iterate over a whole history, checking each event against its predecessor."""
    number, seal = 0, ORIGIN
    for event in events:
        event.check_follows(number, seal)
        yield event
        number, seal = event.number, event.hash


def moment(at: datetime) -> str:
    """A time in UTC, as text."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def from_moment(text: str) -> datetime:
    """Read a time from text."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:  # in UTC, it is before the year 1 or after 9999
        raise ValueError(text) from None
