"""Control rounds as a setting: how often a plan is the comparison plan, by lot, and what that plan is."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from allotment.campaign.forms.amounts import exact, listed, written
from allotment.campaign.forms.payloads import keyed, mapping, text
from allotment.checks import one_of
from allotment.errors import ConflictError, InputError

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings

EQUAL, HOT_SPOTS = "equal", "hot-spots"
RULES = {EQUAL: "equal split", HOT_SPOTS: "hot spots"}  # in words
GIVEN = "given amounts"
USUAL_SHARE = Decimal("0.25")  # at which the exact interval excludes zero soonest, or nearly so
LEAST_SHARE, MOST_SHARE = Decimal("0.01"), Decimal("0.9")
SEED_BYTES = 16  # too many to try them all against draws that are known
HEXADECIMAL = re.compile("[0-9a-f]{1,64}")
EXPECTED = f"{EQUAL}, {HOT_SPOTS}, or amounts by the names of places, such as Dock=2,Gate=1"


@dataclass(frozen=True)
class Control:
    """Control rounds: the probability of one, the comparison plan, and the secret seed of the draws.

    Each change makes a new comparison with an id and a seed of its own.
    """

    share: Decimal
    plan: str | Mapping[int, Decimal]  # a rule, or amounts by arm
    id: str
    seed: str = field(repr=False)  # hexadecimal

    @property
    def words(self) -> str:
        """The comparison plan in words."""
        return plan_in_words(self.plan)

    def shown(self, arms: tuple[str, ...]) -> str:
        """The setting in a few words."""
        return control_words(**self.said(arms))

    def said(self, arms: tuple[str, ...]) -> dict[str, Any]:
        """The setting as users give it; `arms` are the names of all arms."""
        return {"share": written(self.share), "plan": plan_said(self.plan, arms)}

    def to_dict(self, arms: tuple[str, ...]) -> dict[str, Any]:
        """The setting as it is stored; `arms` are the names of all arms."""
        return {**self.said(arms), "id": self.id, "seed": self.seed}

    @classmethod
    def from_dict(cls, content: Any, aliases: Mapping[str, int]) -> "Control":
        """What `to_dict` gave; `aliases` are the numbers of arms by name."""
        keyed("control", content, ("share", "plan", "id", "seed"))
        return cls(
            checked_share(content["share"]),
            plan_in(content["plan"], aliases),
            text("id", content["id"]),
            _checked_seed(content["seed"]),
        )


def new_seed() -> str:
    """A secret seed for the draws of a new comparison."""
    return secrets.token_hex(SEED_BYTES)


def _checked_seed(value: Any) -> str:
    if not isinstance(value, str) or not HEXADECIMAL.fullmatch(value):
        raise InputError.of("the seed of control rounds", value, "a hexadecimal number")
    return value


def control_words(share: str, plan: str | Mapping[str, str]) -> str:
    """Control rounds, as they are stored, in a few words."""
    given = "" if isinstance(plan, str) else f": {listed(f'{name} {each}' for name, each in plan.items())}"
    return f"{share} of rounds ({plan_in_words(plan)}{given})"


def plan_said(plan: str | Mapping[int, Decimal], arms: tuple[str, ...]) -> str | dict[str, str]:
    """A comparison plan as users give it and as it is stored."""
    if isinstance(plan, str):
        return plan
    return {arms[arm]: written(amount) for arm, amount in sorted(plan.items())}


def plan_in_words(plan: Any) -> str:
    """A comparison plan, as it is set or stored, in words."""
    return RULES[plan] if isinstance(plan, str) else GIVEN


def plan_in(plan: Any, aliases: Mapping[str, int]) -> str | dict[int, Decimal]:
    """A comparison plan as it is stored: a rule, or amounts by arm."""
    if isinstance(plan, str):
        return one_of("plan", plan, tuple(RULES))
    return {aliases[name]: exact("an amount", each) for name, each in mapping("plan", plan).items()}


def checked_share(value: Any) -> Decimal:
    """The probability of a control round."""
    expected = f"{LEAST_SHARE} to {MOST_SHARE}, such as {USUAL_SHARE}"
    try:
        share = exact("the share of control rounds", value)
    except InputError:
        raise InputError.of("the share of control rounds", value, expected) from None
    if not LEAST_SHARE <= share <= MOST_SHARE:
        raise InputError.of("the share of control rounds", value, expected)
    return share


def refuse_finds(settings: "Settings") -> None:
    """Raise an error if a campaign records finds, of which nobody knows the losses."""
    if settings.sees == "finds":
        raise ConflictError(
            "this campaign records finds, and control rounds compare losses",
            "a campaign that records losses (sees losses)",
            what="control",
            value="finds",
        )


def refuse_empty_comparison(settings: "Settings", plan: str | Mapping[int, Decimal]) -> None:
    """Raise an error if a comparison plan grants nothing to the places that are planned for."""
    if isinstance(plan, str):
        return
    total = sum((amount for arm, amount in plan.items() if settings.arms[arm].active), Decimal(0))
    if total < settings.unit:
        raise ConflictError(
            f"the comparison plan of control rounds would grant {written(total)} in all to active places",
            f"at least a unit of {written(settings.unit)}: change the plan first, or turn control rounds off",
            what="control",
        )


def control_given(settings: "Settings", value: Any) -> dict[str, Any] | None:
    """Control rounds in the user's words as they are stored; the present ones if they stay as they are.

    The user gives a share, a plan or both; a part that is left out stays as it is. None ends control rounds.
    """
    if value is None:
        return None
    given = value if isinstance(value, Mapping) else {"share": value}
    for name in given:
        one_of("a part of control", name, ("share", "plan"))
    refuse_finds(settings)
    called, now = tuple(arm.name for arm in settings.arms), settings.control
    share = checked_share(given.get("share", USUAL_SHARE if now is None else now.share))
    plan = _plan_given(settings, given.get("plan"), EQUAL if now is None else now.plan)
    refuse_empty_comparison(settings, plan)
    wanted = Control(share, plan, secrets.token_hex(8), new_seed())
    kept = now is not None and now.said(called) == wanted.said(called)
    return (now if now is not None and kept else wanted).to_dict(called)


def _plan_given(
    settings: "Settings", plan: Any, present: str | Mapping[int, Decimal]
) -> str | Mapping[int, Decimal]:
    if plan is None:
        return present
    if isinstance(plan, str) and plan in RULES:
        return plan
    if not isinstance(plan, Mapping):
        raise InputError.of("the comparison plan", plan, EXPECTED)
    arms = [settings.find(name) for name in plan]
    if len(set(arms)) < len(arms):
        raise ConflictError("the comparison plan names a place twice", "each place once", what="control")
    amounts = [exact(f"the comparison amount of {name!r}", each) for name, each in plan.items()]
    return dict(zip(arms, amounts, strict=True))
