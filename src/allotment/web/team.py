"""What a server for a team keeps in the store: tokens, sessions, and links that sign one phone in."""

from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store
from allotment.web.security.sign_in_links import SignInLinks
from allotment.web.security.stored_sessions import StoredSessions


class Team:
    """The people of a store. Several workers that share the store agree on them."""

    def __init__(self, store: Store) -> None:
        self.tokens = Tokens(store)
        self.sessions = StoredSessions(self.tokens)
        self.links = SignInLinks(self.tokens)
