"""Split a limited budget over places when success is invisible.

All public names can be imported from here. Each is loaded when it is first used, so that importing the
package is cheap and Numba is loaded only when it is needed.
"""

import importlib
from typing import TYPE_CHECKING, Any

from allotment.policies import policy_modules
from allotment.system.moved_modules import know_old_names
from allotment.version import __version__

if TYPE_CHECKING:  # `as` marks a name as re-exported
    from allotment import theory as theory
    from allotment.campaign.campaign import Campaign as Campaign, campaigns as campaigns
    from allotment.campaign.history.events import Event as Event
    from allotment.campaign.answers.checks.finding import Checkup as Checkup, Finding as Finding
    from allotment.campaign.answers.effect.effect import Effect as Effect
    from allotment.campaign.answers.effect.effect_duration import Duration as Duration
    from allotment.campaign.answers.forecast import Forecast as Forecast
    from allotment.campaign.answers.frontier import Frontier as Frontier
    from allotment.campaign.logs.import_report import ImportReport as ImportReport
    from allotment.campaign.planning.plan import Plan as Plan
    from allotment.campaign.answers.plan_explanation import Explanation as Explanation
    from allotment.campaign.answers.status import Status as Status
    from allotment.campaign.answers.track_record import TrackRecord as TrackRecord
    from allotment.client import connect as connect
    from allotment.candidates import candidate_thresholds as candidate_thresholds
    from allotment.errors import (
        AllotmentError as AllotmentError,
        AmountWarning as AmountWarning,
        CacheWarning as CacheWarning,
        ClusterError as ClusterError,
        ConflictError as ConflictError,
        FileError as FileError,
        HistoryError as HistoryError,
        BeliefError as BeliefError,
        InfeasibleError as InfeasibleError,
        InputError as InputError,
        KernelError as KernelError,
        KernelIndexError as KernelIndexError,
        MissingExtraError as MissingExtraError,
        NotAcceptedError as NotAcceptedError,
        NotAllowedError as NotAllowedError,
        NotApplicableError as NotApplicableError,
        NotFoundError as NotFoundError,
        SimulationInterrupted as SimulationInterrupted,
        StoreError as StoreError,
        StoreWarning as StoreWarning,
        UnsavedError as UnsavedError,
        VersionWarning as VersionWarning,
    )
    from allotment.evidence import Evidence as Evidence
    from allotment.kernels.protocol import (
        Findings as Findings,
        ask as ask,
        enter as enter,
        tell as tell,
    )
    from allotment.policies.base.learner import Accepts as Accepts, Learner as Learner
    from allotment.oracles.knapsack.solve import Selection as Selection, knapsack as knapsack
    from allotment.oracles.shares.allocate import Shares as Shares, allocate as allocate
    from allotment.compiling.user_kernels import developing as developing
    from allotment.policies.any_response import AnyResponse as AnyResponse
    from allotment.policies.capped_ts import CappedTs as CappedTs
    from allotment.policies.clairvoyant import Clairvoyant as Clairvoyant
    from allotment.policies.csb_dt import CsbDt as CsbDt
    from allotment.policies.csb_dt_ucb import CsbDtUcb as CsbDtUcb
    from allotment.policies.csb_st import CsbSt as CsbSt
    from allotment.policies.csb_ucb import CsbUcb as CsbUcb
    from allotment.policies.cts import Cts as Cts
    from allotment.policies.cucb import Cucb as Cucb
    from allotment.policies.cucb_dra import CucbDra as CucbDra
    from allotment.policies.equal_split import EqualSplit as EqualSplit
    from allotment.policies.escb import Escb as Escb
    from allotment.policies.greedy_pairs import GreedyPairs as GreedyPairs
    from allotment.policies.hot_spots import HotSpots as HotSpots
    from allotment.policies.joint import Joint as Joint
    from allotment.policies.known_response import KnownResponse as KnownResponse
    from allotment.policies.lizard import Lizard as Lizard
    from allotment.policies.mp_kl_ucb import MpKlUcb as MpKlUcb
    from allotment.policies.mp_ts import MpTs as MpTs
    from allotment.policies.pair_ts import PairTs as PairTs
    from allotment.policies.random_split import RandomSplit as RandomSplit
    from allotment.policies.sdcb import Sdcb as Sdcb
    from allotment.policies.top_places import TopPlaces as TopPlaces
    from allotment.policies.base.policy import Policy as Policy, Setting as Setting
    from allotment.policies.joint.threshold_posterior import Posterior as Posterior
    from allotment.policies.any_response.family import Family as Family
    from allotment.policies.any_response.posterior import ResponsePosterior as ResponsePosterior
    from allotment.simulation.cluster import Cluster as Cluster
    from allotment.simulation.regret_paths import Curve as Curve
    from allotment.simulation.result import Result as Result
    from allotment.simulation.simulate import extend as extend, simulate as simulate
    from allotment.simulation.sweep import sweep as sweep
    from allotment.simulation.trace import Trace as Trace, trace as trace
    from allotment.testing import (
        ContractError as ContractError,
        check_policy as check_policy,
        check_world as check_world,
    )
    from allotment.theory.equivalence import allocation_equivalent as allocation_equivalent
    from allotment.worlds.changing import Changing as Changing
    from allotment.worlds.environment import observe as observe, situation_of as situation_of
    from allotment.worlds.optimum import Optimum as Optimum
    from allotment.worlds.problem import Problem as Problem
    from allotment.worlds.situations import Situations as Situations
    from allotment.worlds.responses import (
        Capped as Capped,
        Exponential as Exponential,
        Linear as Linear,
        Logistic as Logistic,
        Piecewise as Piecewise,
        Response as Response,
        Step as Step,
    )
    from allotment.worlds.world import World as World

# Where each public name lives. Policies need no entry: CsbSt is looked for in policies/csb_st.py.
_HOMES = {
    "AllotmentError": "errors",
    "AmountWarning": "errors",
    "CacheWarning": "errors",
    "ClusterError": "errors",
    "ConflictError": "errors",
    "FileError": "errors",
    "HistoryError": "errors",
    "BeliefError": "errors",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "KernelError": "errors",
    "KernelIndexError": "errors",
    "MissingExtraError": "errors",
    "NotAcceptedError": "errors",
    "NotAllowedError": "errors",
    "NotApplicableError": "errors",
    "NotFoundError": "errors",
    "SimulationInterrupted": "errors",
    "StoreError": "errors",
    "StoreWarning": "errors",
    "UnsavedError": "errors",
    "VersionWarning": "errors",
    "Campaign": "campaign.campaign",
    "campaigns": "campaign.campaign",
    "connect": "client.connecting",
    "Event": "campaign.history.events",
    "ImportReport": "campaign.logs.import_report",
    "Plan": "campaign.planning.plan",
    "Explanation": "campaign.answers.plan_explanation",
    "Checkup": "campaign.answers.checks.finding",
    "Finding": "campaign.answers.checks.finding",
    "Duration": "campaign.answers.effect.effect_duration",
    "Effect": "campaign.answers.effect.effect",
    "Forecast": "campaign.answers.forecast",
    "Frontier": "campaign.answers.frontier",
    "Status": "campaign.answers.status",
    "TrackRecord": "campaign.answers.track_record",
    "Evidence": "evidence",
    "Shares": "oracles.shares.allocate",
    "allocate": "oracles.shares.allocate",
    "Selection": "oracles.knapsack.solve",
    "knapsack": "oracles.knapsack.solve",
    "allocation_equivalent": "theory.equivalence",
    "candidate_thresholds": "candidates",
    "developing": "compiling.user_kernels",
    "ask": "kernels.protocol",
    "enter": "kernels.protocol",
    "tell": "kernels.protocol",
    "Findings": "kernels.protocol",
    "Accepts": "policies.base.learner",
    "Learner": "policies.base.learner",
    "Policy": "policies.base.policy",
    "Setting": "policies.base.policy",
    "Posterior": "policies.joint.threshold_posterior",
    "Family": "policies.any_response.family",
    "ResponsePosterior": "policies.any_response.posterior",
    "Changing": "worlds.changing",
    "Situations": "worlds.situations",
    "observe": "worlds.environment",
    "situation_of": "worlds.environment",
    "Optimum": "worlds.optimum",
    "Problem": "worlds.problem",
    "Capped": "worlds.responses",
    "Exponential": "worlds.responses",
    "Linear": "worlds.responses",
    "Logistic": "worlds.responses",
    "Piecewise": "worlds.responses",
    "Response": "worlds.responses",
    "Step": "worlds.responses",
    "World": "worlds.world",
    "Cluster": "simulation.cluster",
    "Curve": "simulation.regret_paths",
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
_HOMES |= {name.title().replace("_", ""): f"policies.{name}" for name in policy_modules()}

_ROOMS = ("theory",)  # whole modules

_NAMES = [*_HOMES, *_ROOMS, "__version__"]
if not TYPE_CHECKING:  # type checkers cannot follow this; they use the imports above
    __all__ = _NAMES


know_old_names()


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_NAMES)
