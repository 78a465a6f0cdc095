"""What all requests of a server share: open campaigns, sessions, ways to sign in, long work, uploads."""

from dataclasses import dataclass, field

from allotment.campaign.access.tokens import Tokens
from allotment.campaign.forms import names
from allotment.campaign.history.store.store import Store
from allotment.web.api.answer_cache import AnswerCache
from allotment.web.files.passing import remove_left_over
from allotment.web.files.stages import Stages
from allotment.web.requests.open_campaigns import OpenCampaigns
from allotment.web.requests.problems import Problem, problem_for_team, problem_of
from allotment.web.security.attempts import Attempts
from allotment.web.security.front import Front
from allotment.web.security.sessions import MemorySessions, SessionBook
from allotment.web.security.sign_in_codes import SignInCodes
from allotment.web.security.sign_in_links import SignInLinks
from allotment.web.security.stored_sessions import StoredSessions
from allotment.web.work.gate import Gate
from allotment.web.work.job_rows import JobRows
from allotment.web.work.jobs import Jobs
from allotment.web.work.kept_answers import KeptAnswers
from allotment.web.work.work_tables import ProcessTables, WorkTables


class Team:
    """The people of a store. Several workers that share the store agree on them."""

    def __init__(self, store: Store) -> None:
        self.tokens = Tokens(store)
        self.sessions = StoredSessions(self.tokens)
        self.links = SignInLinks(self.tokens)


@dataclass
class Desk:
    """The shared things. `author` is the user of the machine, whom sign-in codes sign in.

    With a `team`, people sign in with tokens; sessions, long work and logs that wait are in the store.
    """

    campaigns: OpenCampaigns
    port: int
    author: str = field(default_factory=lambda: names.author(None))
    front: Front = field(init=False)
    team: Team | None = field(default=None, init=False)
    sessions: SessionBook = field(default_factory=MemorySessions)
    codes: SignInCodes = field(default_factory=SignInCodes)
    attempts: Attempts = field(default_factory=Attempts)
    answers: AnswerCache = field(default_factory=AnswerCache)
    gate: Gate = field(default_factory=Gate)
    jobs: Jobs = field(init=False)
    kept: KeptAnswers = field(init=False)
    stages: Stages = field(init=False)
    _own: ProcessTables = field(default_factory=ProcessTables, init=False)

    def __post_init__(self) -> None:
        remove_left_over()
        self.front = Front.of_this_machine(self.port)
        self._keep_work_in(self._own)

    def open_to(self, front: Front) -> None:
        """Let a team in, through a front of its own."""
        self.front, self.team = front, Team(self.campaigns.store)
        self.sessions = self.team.sessions
        self._keep_work_in(self.campaigns.store)

    def _keep_work_in(self, tables: WorkTables) -> None:
        self.jobs = Jobs(JobRows(tables), self.problem_of)
        self.kept, self.stages = KeptAnswers(self.jobs), Stages(tables)

    def problem_of(self, error: Exception) -> Problem:
        """What a page says of an error: to a team, nothing of where the store lies."""
        return problem_of(error) if self.team is None else problem_for_team(error)

    @property
    def tokens(self) -> Tokens:
        """The tokens of the store, which the HTTP API asks for on any server."""
        return self.team.tokens if self.team is not None else Tokens(self.campaigns.store)

    @property
    def cookie(self) -> str:
        """The name of the session's cookie."""
        return self.front.cookie

    @property
    def hosts(self) -> frozenset[str]:
        """The names under which the server answers."""
        return self.front.hosts

    @property
    def address(self) -> str:
        """Where the pages begin."""
        return self.front.address

    def close(self) -> None:
        """Let go of the store, and of what is not finished."""
        self.jobs.close()
        self._own.close()
        self.campaigns.close()
