"""Who visits, and which campaign they visit: the dependencies of the routes."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from allotment.campaign.campaign import Campaign
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import missing_campaign
from allotment.web.requests.problems import SignedOutError
from allotment.web.security.page_rights import check_page
from allotment.web.security.sessions import Session
from allotment.web.work.gate import Asker


def desk_of(request: Request) -> Desk:
    """What all requests share."""
    found: Desk = request.app.state.desk
    return found


def signed_in(request: Request) -> Session:
    """The session of a request; without one, the visitor is sent to the page that explains how to sign in."""
    known: Session | None = getattr(request.state, "session", None)
    if known is not None:
        return known
    desk = desk_of(request)
    found = desk.sessions.find(request.cookies.get(desk.cookie, ""))
    if found is None:
        raise SignedOutError
    request.state.session = found
    request.state.who = found.author  # for the access log
    return found


SignedIn = Annotated[Session, Depends(signed_in)]


@dataclass(frozen=True)
class Visit:
    """A visit to a campaign. Its `path` begins the addresses of the campaign's pages."""

    number: int
    campaign: Campaign
    session: Session
    desk: Desk

    @property
    def dear(self) -> Asker:
        """Asks the campaign what takes time or memory."""
        return Asker(self.desk, self.session.rights, self.number, self.campaign)

    def sessions(self) -> list[Session]:
        """The sessions that this visitor may end: their own, and of people whom they could let in."""
        rights = self.session.rights
        live = self.desk.sessions.live()
        return [each for each in live if each.author == rights.name or rights.may_hand_out(each.rights)]

    @property
    def path(self) -> str:
        """The beginning of the addresses of the campaign's pages."""
        return f"/c/{self.number}"


def visited(request: Request, number: int, session: SignedIn) -> Visit:
    """The campaign whose number the address holds; 404 if there is none for this visitor."""
    desk = desk_of(request)
    if not session.rights.sees(number):
        raise missing_campaign(number)
    check_page(session.rights, request.method, request.scope["path"].split("/", 3)[3])  # as routes see it
    visit = Visit(number, desk.campaigns.open(number, session.author), session, desk)
    request.state.visit = visit
    return visit


Here = Annotated[Visit, Depends(visited)]
