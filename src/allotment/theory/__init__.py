"""The paper's propositions and theorems as functions, and our bounds: on Bayesian regret, and on Refute's."""

from allotment.candidates import candidate_thresholds
from allotment.errors import NotApplicableError
from allotment.special import divergence
from allotment.theory.bandits import (
    BanditLearner,
    CombinatorialBandit,
    KnapsackFamily,
    ListedFamily,
    MultiplePlayBandit,
    draw_losses,
    play_bandit,
)
from allotment.theory.bayesian import BayesianBound, bayesian_regret
from allotment.theory.bounds import (
    RegretBound,
    csb_dt_regret,
    csb_st_regret,
    lower_bound,
    over_rounds,
    regret_order,
)
from allotment.theory.equivalence import (
    AsAllocationLearner,
    AsBanditLearner,
    allocation_equivalent,
    combinatorial_bandit,
    multiple_play_bandit,
    play_problem,
    problem_of,
)
from allotment.theory.gaps import gap, largest_gap, smallest_gap
from allotment.theory.refuting import refute_bound
from allotment.theory.searches import csb_dt_rounds, csb_st_rounds
from allotment.theory.summary import Statement, all_bounds

__all__ = [
    "AsAllocationLearner",
    "AsBanditLearner",
    "BanditLearner",
    "BayesianBound",
    "CombinatorialBandit",
    "KnapsackFamily",
    "ListedFamily",
    "MultiplePlayBandit",
    "NotApplicableError",
    "RegretBound",
    "Statement",
    "all_bounds",
    "allocation_equivalent",
    "bayesian_regret",
    "candidate_thresholds",
    "combinatorial_bandit",
    "csb_dt_regret",
    "csb_dt_rounds",
    "csb_st_regret",
    "csb_st_rounds",
    "divergence",
    "draw_losses",
    "gap",
    "largest_gap",
    "lower_bound",
    "multiple_play_bandit",
    "over_rounds",
    "play_bandit",
    "play_problem",
    "problem_of",
    "refute_bound",
    "regret_order",
    "smallest_gap",
]
