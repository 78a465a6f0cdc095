"""Split a limited budget over places when success is invisible.

All public names can be had from here; each is loaded when it is first used, so that importing the package
costs next to nothing and compiled code is loaded only by those who run it.
"""

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from allotment.version import __version__

if TYPE_CHECKING:
    from allotment import theory
    from allotment.campaign.campaign import Campaign, campaigns
    from allotment.campaign.events import Event
    from allotment.campaign.forecast import Forecast
    from allotment.campaign.frontier import Frontier
    from allotment.campaign.import_report import ImportReport
    from allotment.campaign.plan import Plan
    from allotment.campaign.reasons import Explanation
    from allotment.campaign.status import Status
    from allotment.candidates import candidate_thresholds
    from allotment.errors import (
        AllotmentError,
        ConflictError,
        FileError,
        HistoryError,
        InfeasibleError,
        InputError,
        MissingExtraError,
        NotAcceptedError,
        NotApplicableError,
        NotFoundError,
        SimulationInterrupted,
        StoreError,
        StoreWarning,
        UnsavedError,
        VersionWarning,
    )
    from allotment.evidence import Evidence
    from allotment.kernels.protocol import Findings, ask, tell
    from allotment.learner import Accepts, Learner
    from allotment.oracles.knapsack.solve import Selection, knapsack
    from allotment.oracles.shares.allocate import Shares, allocate
    from allotment.policies.any_response import AnyResponse
    from allotment.policies.clairvoyant import Clairvoyant
    from allotment.policies.csb_dt import CsbDt
    from allotment.policies.csb_dt_ucb import CsbDtUcb
    from allotment.policies.csb_st import CsbSt
    from allotment.policies.csb_ucb import CsbUcb
    from allotment.policies.cts import Cts
    from allotment.policies.cucb import Cucb
    from allotment.policies.cucb_dra import CucbDra
    from allotment.policies.equal_split import EqualSplit
    from allotment.policies.escb import Escb
    from allotment.policies.hot_spots import HotSpots
    from allotment.policies.joint import Joint
    from allotment.policies.known_response import KnownResponse
    from allotment.policies.mp_kl_ucb import MpKlUcb
    from allotment.policies.mp_ts import MpTs
    from allotment.policies.pair_ts import PairTs
    from allotment.policies.random_split import RandomSplit
    from allotment.policies.sdcb import Sdcb
    from allotment.policies.top_places import TopPlaces
    from allotment.policy import Policy, Setting
    from allotment.posterior import Posterior
    from allotment.response_family import Family
    from allotment.response_posterior import ResponsePosterior
    from allotment.simulation.curve import Curve
    from allotment.simulation.result import Result
    from allotment.simulation.simulate import extend, simulate
    from allotment.simulation.sweep import sweep
    from allotment.simulation.trace import Trace, trace
    from allotment.testing import ContractError, check_policy, check_world
    from allotment.theory.allocation_equivalence import allocation_equivalent
    from allotment.worlds.changing import Changing
    from allotment.worlds.environment import observe
    from allotment.worlds.optimum import Optimum
    from allotment.worlds.problem import Problem
    from allotment.worlds.responses import Exponential, Linear, Logistic, Piecewise, Response, Step
    from allotment.worlds.world import World

# Where each public name lives. Policies need no entry: CsbSt is looked for in policies/csb_st.py.
_HOMES = {
    "AllotmentError": "errors",
    "ConflictError": "errors",
    "FileError": "errors",
    "HistoryError": "errors",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "NotAcceptedError": "errors",
    "NotApplicableError": "errors",
    "NotFoundError": "errors",
    "SimulationInterrupted": "errors",
    "StoreError": "errors",
    "StoreWarning": "errors",
    "UnsavedError": "errors",
    "VersionWarning": "errors",
    "Campaign": "campaign.campaign",
    "campaigns": "campaign.campaign",
    "Event": "campaign.events",
    "ImportReport": "campaign.import_report",
    "Plan": "campaign.plan",
    "Explanation": "campaign.reasons",
    "Forecast": "campaign.forecast",
    "Frontier": "campaign.frontier",
    "Status": "campaign.status",
    "Evidence": "evidence",
    "Shares": "oracles.shares.allocate",
    "allocate": "oracles.shares.allocate",
    "Selection": "oracles.knapsack.solve",
    "knapsack": "oracles.knapsack.solve",
    "allocation_equivalent": "theory.allocation_equivalence",
    "candidate_thresholds": "candidates",
    "ask": "kernels.protocol",
    "tell": "kernels.protocol",
    "Findings": "kernels.protocol",
    "Accepts": "learner",
    "Learner": "learner",
    "Policy": "policy",
    "Setting": "policy",
    "Posterior": "posterior",
    "Family": "response_family",
    "ResponsePosterior": "response_posterior",
    "Changing": "worlds.changing",
    "observe": "worlds.environment",
    "Optimum": "worlds.optimum",
    "Problem": "worlds.problem",
    "Exponential": "worlds.responses",
    "Linear": "worlds.responses",
    "Logistic": "worlds.responses",
    "Piecewise": "worlds.responses",
    "Response": "worlds.responses",
    "Step": "worlds.responses",
    "World": "worlds.world",
    "Curve": "simulation.curve",
    "Result": "simulation.result",
    "extend": "simulation.simulate",
    "simulate": "simulation.simulate",
    "sweep": "simulation.sweep",
    "Trace": "simulation.trace",
    "trace": "simulation.trace",
    "ContractError": "testing",
    "check_policy": "testing",
    "check_world": "testing",
}
_HOMES |= {
    module.name.title().replace("_", ""): f"policies.{module.name}"
    for module in pkgutil.iter_modules([f"{__path__[0]}/policies"])
    if not module.name.startswith("_")
}

_ROOMS = ("theory",)  # whole modules

__all__ = [*_HOMES, *_ROOMS, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
