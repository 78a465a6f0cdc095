"""Tokens of a store: `al_<id>_<secret>`. The secret is shown once; the store keeps its SHA-256."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, update

from allotment.campaign.access.rights import Rights
from allotment.campaign.forms import names
from allotment.campaign.forms.lookalikes import lookalike, looks_like
from allotment.campaign.history.store.store import Store
from allotment.campaign.history.store.tables import campaigns, sessions, sign_in_links, tokens
from allotment.errors import ConflictError, InputError, shown

FORM = re.compile(r"al_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
LIFE = timedelta(days=365)  # of a token without an end date of its own
SEEN_SECONDS = 3600  # "last seen" is written at most this often
NO_SECRET = "-"  # of a token that only links sign in: no SHA-256 looks like this
Clock = Callable[[], datetime]


def hash_of(secret: str) -> str:
    """What is kept of a secret. It has 256 random bits, so that no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True)
class Token:
    """A token as the store keeps it. It is valid until the end of its last day, in UTC."""

    id: str
    rights: Rights
    until: date
    made: datetime
    made_by: str
    revoked: datetime | None
    seen: datetime | None

    @property
    def name(self) -> str:
        """The name of its holder, which no other token ever has."""
        return self.rights.name

    def state(self, now: datetime) -> str:
        """Whether it is valid, expired or revoked."""
        if self.revoked is not None:
            return "revoked"
        return "valid" if now.astimezone(UTC).date() <= self.until else "expired"


class Tokens:
    """The tokens of a store. Rows are never deleted, so that the name of an author means one person."""

    def __init__(self, store: Store, clock: Clock = names.now) -> None:
        self.store, self.clock = store, clock

    def add(
        self,
        rights: Rights,
        *,
        until: Any = None,
        by: Rights,
        by_until: date | None = None,
        secret: bool = True,
    ) -> tuple[Token, str]:
        """A new token, and its text, which is not kept. Without a secret, only links sign its holder in.

        `by` hands the token out, and must have its rights, and have them for as long: to the day `by_until`.
        """
        rights = Rights(names.name("name", rights.name), rights.role, rights.campaign, rights.group)
        by.check(by.may_hand_out(rights), "hand out these rights")
        now = self.clock()
        id_, random = secrets.token_hex(6), secrets.token_urlsafe(32)
        token = Token(id_, rights, self._last_day(until, now, by_until), now, by.name, None, None)
        row = {
            "id": id_,
            "name": rights.name,
            "secret": hash_of(random) if secret else NO_SECRET,
            "role": rights.role,
            "campaign": rights.campaign,
            "group": rights.group,
            "until": token.until.isoformat(),
            "made": now.timestamp(),
            "made_by": by.name,
        }
        with self.store.transaction(writes=True) as connection:
            self._check_free(connection, rights.name)
            connection.execute(insert(tokens).values(row))
        return token, f"al_{id_}_{random}"

    def find(self, text: str) -> Token | None:
        """The valid token of a text; None if there is none. Its "last seen" is kept to the hour."""
        parts = FORM.fullmatch(text)
        if parts is None:
            return None
        with self.store.transaction() as connection:
            row = connection.execute(select(tokens).where(tokens.c.id == parts[1])).first()
        right = hmac.compare_digest(hash_of(parts[2]), "" if row is None else row.secret)
        return self._valid(_token(row)) if right and row is not None else None

    def holder(self, id_: str) -> Token | None:
        """The valid token of an id, for a session that it began; None if it has ended meanwhile."""
        with self.store.transaction() as connection:
            row = connection.execute(select(tokens).where(tokens.c.id == id_)).first()
        return None if row is None else self._valid(_token(row))

    def named(self, name: str, *, by: Rights) -> Token:
        """The token of a name; an error if there is none that `by` may hand out, or that is their own."""
        known = [each for each in self.all() if each.name == by.name or by.may_hand_out(each.rights)]
        found = next((each for each in known if each.name == names.composed(name)), None)
        if found is None:
            wrong = f"there is no token named {shown(name)}"
            raise names.unknown(wrong, name, [each.name for each in known], "the name of one", what="name")
        return found

    def all(self) -> list[Token]:
        """All tokens, revoked and expired ones included, in the order in which they were made."""
        with self.store.transaction() as connection:
            rows = connection.execute(select(tokens).order_by(tokens.c.made, tokens.c.id)).all()
        return [_token(row) for row in rows]

    def exist(self) -> bool:
        """Whether anybody can sign in."""
        now = self.clock()
        return any(each.state(now) == "valid" for each in self.all())

    def revoke(self, name: str, *, by: Rights) -> Token:
        """End a token, its sessions and its links at once. Revoking it again changes nothing."""
        by.check(by.may_plan, "revoke a token")
        token = self.named(name, by=by)
        by.check(by.may_hand_out(token.rights), "revoke this token")
        with self.store.transaction(writes=True) as connection:
            connection.execute(
                update(tokens)
                .where(tokens.c.id == token.id, tokens.c.revoked.is_(None))
                .values(revoked=self.clock().timestamp())
            )
            for table in (sessions, sign_in_links):
                connection.execute(table.delete().where(table.c.token == token.id))
        return token

    def campaign_names(self) -> dict[int, str]:
        """The names of the campaigns by their numbers."""
        with self.store.transaction() as connection:
            return {row.id: row.name for row in connection.execute(select(campaigns))}

    def _valid(self, token: Token) -> Token | None:
        now = self.clock()
        if token.state(now) != "valid":
            return None
        if token.seen is None or (now - token.seen).total_seconds() > SEEN_SECONDS:
            with self.store.transaction(writes=True) as connection:
                connection.execute(update(tokens).where(tokens.c.id == token.id).values(seen=now.timestamp()))
        return token

    def _check_free(self, connection: Connection, name: str) -> None:
        """Raise an error if a token has, or once had, this name in any case of its letters."""
        taken = [*connection.execute(select(tokens.c.name)).scalars()]
        if (other := lookalike(name, taken)) is not None:
            raise looks_like(name, other)
        if name.casefold() in {each.casefold() for each in taken}:
            raise ConflictError(
                f"a token named {shown(name)} exists or existed",
                "another name: history names its authors for good",
                what="name",
                value=name,
            )

    def _last_day(self, until: Any, now: datetime, latest: date | None) -> date:
        last = (now + LIFE).date() if until is None else names.day("until", until)
        if latest is not None and last > latest:
            if until is not None:
                raise InputError.of("until", str(last), f"at most {latest}, the last day of your own token")
            last = latest
        if last < now.astimezone(UTC).date():
            raise InputError.of("until", str(last), "a date that is not over")
        return last


def _token(row: Any) -> Token:
    return Token(
        id=row.id,
        rights=Rights(row.name, row.role, row.campaign, row.group),
        until=date.fromisoformat(row.until),
        made=_moment(row.made) or names.now(),
        made_by=row.made_by,
        revoked=_moment(row.revoked),
        seen=_moment(row.seen),
    )


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
