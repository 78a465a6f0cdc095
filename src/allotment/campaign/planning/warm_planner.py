"""Compiling ahead what campaigns decide with."""

from datetime import date

from allotment.campaign.answers.forecast import forecast_of
from allotment.campaign.changes import first_settings
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning.asking import PlanInputs, planned
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.compiling.cache_folder import ensure_kept

KINDS = (("losses", "binary"), ("losses", "counts"), ("finds", "binary"))


def warm_up_campaigns() -> None:
    """Make a plan of every kind once, in memory, so that no later one has to wait."""
    ensure_kept()
    for sees, losses in KINDS:
        for groups in (None, {"north": {"arms": ["A"], "most": 1}}):
            settings = first_settings(
                "warm-up",
                arms=["A", "B"],
                budget=1,
                unit=1,
                most=1,
                groups=groups,
                sees=sees,
                losses=losses,
                seed=0,
            )
            seen = [AmountTally(0, settings.unit, 1.0, 0.0)]
            inputs = PlanInputs(settings, seen, 1, 1, date(2026, 1, 1), None, ())
            planned(inputs, bounds_of(settings), explore=True)
            forecast_of(inputs, 1)
