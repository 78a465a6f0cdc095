"""Rights: who asks, and what they may do. Pages and the HTTP API ask the same questions of them."""

from dataclasses import dataclass

from allotment.checks import one_of
from allotment.errors import InputError, NotAllowedError

VIEWER, RECORDER, PLANNER = "viewer", "recorder", "planner"
ROLES = (VIEWER, RECORDER, PLANNER)


@dataclass(frozen=True)
class Rights:
    """What someone may do. `name` is the author of what they record; `campaign` is None for all campaigns.

    A viewer reads. A recorder sees and reports plans, of one group or of all places. A planner does the rest.
    """

    name: str
    role: str
    campaign: int | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        one_of("role", self.role, ROLES)
        if self.group is not None and (self.role != RECORDER or self.campaign is None):
            raise InputError(
                f"a group is given for a {self.role}" if self.role != RECORDER else "a group has no campaign",
                "a group only for a recorder of one campaign",
                what="group",
                value=self.group,
            )

    @property
    def is_owner(self) -> bool:
        """Whether they plan all campaigns: only they create campaigns and see seeds."""
        return self.role == PLANNER and self.campaign is None

    @property
    def may_read(self) -> bool:
        """Whether they see everything of a campaign but its seed."""
        return self.role in (VIEWER, PLANNER)

    @property
    def may_report(self) -> bool:
        """Whether they report what happened."""
        return self.role in (RECORDER, PLANNER)

    @property
    def may_plan(self) -> bool:
        """Whether they ask for plans and change settings."""
        return self.role == PLANNER

    @property
    def reports_only_own(self) -> bool:
        """Whether they may correct only what they reported themselves."""
        return self.role == RECORDER

    def sees(self, campaign: int) -> bool:
        """Whether a campaign exists for them."""
        return self.campaign in (None, campaign)

    def reaches(self, group: str | None) -> bool:
        """Whether they see and report the places of a group."""
        return self.group in (None, group)

    def may_hand_out(self, other: "Rights") -> bool:
        """Whether they may give these rights to someone: nobody hands out more than they have."""
        return self.may_plan and (self.campaign is None or other.campaign == self.campaign)

    def check(self, allowed: bool, what: str) -> None:
        """Raise an error unless something is allowed; `what` says what it is, such as "report"."""
        if not allowed:
            raise NotAllowedError(f"{self.name} is a {self.role} and may not {what}", what="role")
