"""Links that sign one phone in as a recorder. Each works once, for 15 minutes."""

import secrets
import time

from sqlalchemy import delete, insert, select

from allotment.campaign.access.rights import RECORDER, Rights
from allotment.campaign.access.tokens import Token, Tokens, hash_of
from allotment.campaign.history.store.tables import sign_in_links
from allotment.web.security.sessions import Clock

LIFE_SECONDS = 900


class SignInLinks:
    """The links of a store. It keeps the SHA-256 of their codes, which have 256 bits."""

    def __init__(self, tokens: Tokens, clock: Clock = time.time) -> None:
        self._tokens, self._store, self._clock = tokens, tokens.store, clock

    def issue(self, token: Token, *, by: Rights) -> str:
        """The code of a new link for the holder of a recorder's token. Earlier links of the token end."""
        by.check(by.may_hand_out(token.rights) and token.rights.role == RECORDER, "make this link")
        code, now = secrets.token_urlsafe(32), self._clock()
        with self._store.transaction(writes=True) as connection:
            connection.execute(
                delete(sign_in_links).where(
                    (sign_in_links.c.token == token.id) | (sign_in_links.c.ends < now)
                )
            )
            row = {"digest": hash_of(code), "token": token.id, "ends": now + LIFE_SECONDS}
            connection.execute(insert(sign_in_links).values(row))
        return code

    def whose(self, code: str) -> Token | None:
        """Whom a code would sign in; None if it is not valid. Looking uses nothing up."""
        query = select(sign_in_links.c.token).where(
            sign_in_links.c.digest == hash_of(code), sign_in_links.c.ends >= self._clock()
        )
        with self._store.transaction() as connection:
            found = connection.execute(query).scalar()
        return None if found is None else self._tokens.holder(found)

    def redeem(self, code: str) -> Token | None:
        """Use a code up: whom it signs in; None if it is not valid. Of two workers, one gets it."""
        token = self.whose(code)
        if token is None:
            return None
        with self._store.transaction(writes=True) as connection:
            used = connection.execute(delete(sign_in_links).where(sign_in_links.c.digest == hash_of(code)))
        return token if used.rowcount == 1 else None
