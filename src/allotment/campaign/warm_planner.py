"""Compiles in advance the code that campaigns use."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from allotment.campaign.settings.settings import Settings
from allotment.compiling.background import compile_and_mark, compile_in_background
from allotment.compiling.cache_folder import ensure_cache


class PlannerKind(NamedTuple):
    """What of a campaign decides which code its plans run."""

    sees: str
    losses: str
    grouped: bool
    limits: str = "plain"  # or "crews" or "moves", which have solvers of their own
    situated: bool = False  # whether there are several situations

    @classmethod
    def of(cls, settings: Settings) -> "PlannerKind":
        """The kind of a campaign."""
        crewed = any(settings.arms[number].crew for number in settings.active)
        limits = "moves" if settings.moves is not None else "crews" if crewed else "plain"
        situated = settings.situations.several
        return cls(settings.sees, settings.losses, bool(settings.groups), limits, situated)

    @property
    def mark(self) -> str:
        """The file in the cache that says that all of this kind is compiled."""
        groups = "groups" if self.grouped else "plain"
        situated = "-situations" if self.situated else ""
        return f"planner-{self.sees}-{self.losses}-{groups}-{self.limits}{situated}.compiled"


KINDS = [
    PlannerKind(sees, losses, grouped)
    for sees, losses in (("losses", "binary"), ("losses", "counts"), ("finds", "binary"))
    for grouped in (False, True)
] + [PlannerKind("losses", "binary", grouped=False, limits=limits) for limits in ("crews", "moves")]
KINDS.append(PlannerKind("losses", "binary", grouped=False, situated=True))


def warm_up_campaigns() -> None:
    """Compile for campaigns of every kind, so that no later plan has to wait."""
    ensure_cache()
    for kind in KINDS:
        _compile_kind(kind)


def compile_planner_in_background(settings: Settings) -> None:
    """Compile for this campaign in a process of its own; returns at once."""
    kind = PlannerKind.of(settings)
    program = f"from {__name__} import compile_now; compile_now{tuple(kind)!r}"
    compile_in_background(program, kind.mark)


def compile_now(sees: str, losses: str, grouped: bool, limits: str, situated: bool) -> None:
    """What runs in the background."""
    kind = PlannerKind(sees, losses, grouped, limits, situated)
    compile_and_mark(lambda: _compile_kind(kind), kind.mark)


def _compile_kind(kind: PlannerKind) -> None:
    """Make a plan and a forecast once, in memory: the plan first, since the next command may need it."""
    from allotment.campaign.answers.forecast import forecast_of
    from allotment.campaign.history.ledger import AmountTally
    from allotment.campaign.history.plan_payload import PlanPayload
    from allotment.campaign.planning.asking import PlanInputs, planned
    from allotment.campaign.settings.changes import first_settings

    settings = first_settings(
        "warm-up",
        arms=["A", "B"],
        budget=1,
        unit=1,
        most=1,
        groups={"north": {"arms": ["A"], "most": 1}} if kind.grouped else None,
        sees=kind.sees,
        losses=kind.losses,
        seed=0,
        crew=1 if kind.limits == "crews" else None,
        moves=1 if kind.limits == "moves" else None,
        situations=["day", "night"] if kind.situated else None,
    )
    seen = [AmountTally(0, settings.unit, 1.0, 0.0)]
    day, one = date(2026, 1, 1), Decimal(1)
    kept = PlanPayload("1", day, 1, True, one, one, Decimal(0), ["A", "B"], [1, 0])
    inputs = PlanInputs(settings, seen, 2, 1, day, None, (), kept)
    planned(inputs, inputs.bounds(), explore=True)
    forecast_of([replace(inputs, situation=number) for number in settings.situations.numbers], 1)
