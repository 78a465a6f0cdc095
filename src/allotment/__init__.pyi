# The public names and their modules: for type checkers, and for `__init__.py`, which reads this file.

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
from allotment.campaign.answers.unreported import Unreported as Unreported
from allotment.client.connecting import connect as connect
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
from allotment.policies.refute import Refute as Refute
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

__version__: str
