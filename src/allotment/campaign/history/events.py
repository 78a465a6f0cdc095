"""Events: what was asked, told and changed, one after the other, chained by hash."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from allotment.campaign.names import checked_name
from allotment.errors import HistoryError, InputError, shown

ORIGIN = ""  # what the first event follows
# Of payloads. 2 added closings, undone cancellations, plans that replace others, tables, crews and moves.
VERSION = 2
LARGEST = 2**27  # bytes of a payload; some six million rows of a log


def text_of(content: Any) -> str:
    """Plain data as the one text that stands for it; no number in it is infinite or missing."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def new_key() -> str:
    """A key for a request that was given none."""
    return secrets.token_hex(16)


def checked_key(key: Any) -> str:
    """The key of a request: as given, or made up."""
    if key is None:
        return new_key()
    if not isinstance(key, str) or not 0 < len(key) <= 200 or not key.isprintable():
        raise InputError.of("key", key, "a text of 1 to 200 characters")
    return key


def digest(*parts: str) -> str:
    """SHA-256 of texts, told apart by their lengths."""
    found = hashlib.sha256()
    for part in parts:
        content = part.encode()
        found.update(f"{len(content)}:".encode())
        found.update(content)
    return found.hexdigest()


@dataclass(frozen=True)
class Request:
    """What was asked for, by whom, under which key: the same key with the same request is the same event."""

    by: str
    key: str
    digest: str

    @classmethod
    def of(cls, by: str, key: Any, name: str, arguments: Mapping[str, Any]) -> "Request":
        """A request by its name and arguments; whatever they are, equal ones look equal."""
        try:
            said = json.dumps(arguments, sort_keys=True, default=repr)
        except (TypeError, ValueError):  # keys that are no names
            said = repr(arguments)
        return cls(by, checked_key(key), digest(name, said))


@dataclass(frozen=True)
class Draft:
    """An event to be written: its kind and payload."""

    kind: str
    payload: Mapping[str, Any]
    version: int = VERSION


@dataclass(frozen=True)
class Event:
    """Something that happened in a campaign: its number, time (UTC), author (`by`), kind and payload."""

    number: int
    at: datetime
    by: str
    kind: str
    version: int
    key: str
    request: str
    text: str = field(repr=False)  # the payload, as it was hashed
    hash: str = field(repr=False)

    @classmethod
    def after(cls, previous: str, number: int, at: datetime, request: Request, draft: Draft) -> "Event":
        """The event that follows the one whose hash is given."""
        text = text_of(draft.payload)
        if len(text.encode()) > LARGEST:
            raise InputError(
                f"this is {len(text)} characters in one step", f"at most {LARGEST}: split it", what="size"
            )
        unsealed = cls(
            number, at, request.by, draft.kind, draft.version, request.key, request.digest, text, ""
        )
        return cls(**{**vars(unsealed), "hash": unsealed.sealed(previous)})

    def sealed(self, previous: str) -> str:
        """The hash that this event has if it follows the one whose hash is given."""
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
        """Raise an error unless this event follows the one of this number and hash."""
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
        """Raise an error if author, key or request are not what a request can have."""
        checked_name("author", self.by)
        checked_key(self.key)
        checked_key(self.request)
        if self.version < 1:
            raise InputError.of("version", self.version, f"1 to {VERSION}")

    @property
    def payload(self) -> dict[str, Any]:
        """What happened, as plain data."""
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise HistoryError(f"event {self.number} cannot be read")
        return found

    @property
    def plan_id(self) -> str | None:
        """The plan that it is about, if it is about one."""
        return self.payload.get("plan")

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data; the payload in it."""
        head = {"number": self.number, "at": moment(self.at), "by": self.by, "kind": self.kind}
        tail = {"version": self.version, "key": self.key, "request": self.request, "hash": self.hash}
        return {**head, "payload": self.payload, **tail}

    def redacted(self) -> dict[str, Any]:
        """The event as plain data without the campaign's seed, for those who may not see it.

        Its hashes are left out, too: a short seed could be found by trying all of them.
        """
        return redacted(self.to_dict())

    @classmethod
    def from_dict(cls, content: Any) -> "Event":
        """What `to_dict` gave."""
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


def redacted(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of an event without the seed and the hashes."""
    payload = {name: part for name, part in content["payload"].items() if name != "seed"}
    return {name: part for name, part in content.items() if name not in ("hash", "request")} | {
        "payload": payload
    }


def chained(events: Iterable[Event]) -> Iterator[Event]:
    """The events of a whole history, each checked against the one before."""
    number, seal = 0, ORIGIN
    for event in events:
        event.check_follows(number, seal)
        yield event
        number, seal = event.number, event.hash


def moment(at: datetime) -> str:
    """A time in UTC, as it is kept."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def from_moment(text: str) -> datetime:
    """The time that a text stands for."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:  # in UTC, it is before the year 1 or after 9999
        raise ValueError(text) from None
