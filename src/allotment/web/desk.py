"""What all requests of a server share: open campaigns, sessions, sign-in codes, long work, uploads."""

from dataclasses import dataclass, field

from allotment.campaign import names
from allotment.web.jobs import Jobs
from allotment.web.kept_answers import KeptAnswers
from allotment.web.open_campaigns import OpenCampaigns
from allotment.web.security.sessions import MemorySessions, SessionBook
from allotment.web.security.sign_in_codes import SignInCodes
from allotment.web.stages import Stages


@dataclass
class Desk:
    """The shared things. `author` is the user of the machine, whom sign-in codes sign in."""

    campaigns: OpenCampaigns
    port: int
    author: str = field(default_factory=lambda: names.author(None))
    sessions: SessionBook = field(default_factory=MemorySessions)
    codes: SignInCodes = field(default_factory=SignInCodes)
    jobs: Jobs = field(default_factory=Jobs)
    kept: KeptAnswers = field(default_factory=KeptAnswers)
    stages: Stages = field(default_factory=Stages)

    @property
    def cookie(self) -> str:
        """The name of the session's cookie. Cookies ignore ports, so that each port has a name of its own."""
        return f"allotment-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The names under which the server answers."""
        return frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})

    @property
    def address(self) -> str:
        """Where the pages begin."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Let go of the store, and of what was sent and not kept."""
        self.stages.close()
        self.campaigns.close()
