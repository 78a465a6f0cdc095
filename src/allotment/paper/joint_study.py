"""How Joint should decide: candidate rules measured on random problems, and the one kept, on others.

Each rule's regret is divided by that of CTS, the learner that knows the thresholds, against the same losses.
"""

from collections.abc import Iterator
from itertools import count, islice

from allotment.problem import Problem

RESOLUTION = 0.01
KINDS: dict[str, dict[str, object]] = {
    "five arms": {"arms": 5},
    "ten arms": {"arms": 10},
    "twenty arms": {"arms": 20},
    "forty arms": {"arms": 40},
    "clustered thresholds": {"arms": 20, "thresholds": "clustered"},
    "low rates": {"arms": 20, "rates": "low"},
    "high rates": {"arms": 10, "rates": "high"},
    "tight budget": {"arms": 20, "tightness": 0.15},
    "loose budget": {"arms": 20, "tightness": 0.7},
    "hopeless": {"arms": 20, "hopeless": True},
}
CHOOSING, CONFIRMING = 1_000, 2_000  # where the seeds of the two suites start


def suite(first_seed: int, each: int) -> Iterator[tuple[str, Problem]]:
    """So many random problems of each kind, thresholds on the grid."""
    for kind, options in KINDS.items():
        drawn = (_drawn(first_seed + seed, options) for seed in count())
        for problem in islice(filter(_is_a_choice, drawn), each):
            yield kind, problem


def _drawn(seed: int, options: dict[str, object]) -> Problem:
    return Problem.random(seed=seed, resolution=RESOLUTION, **options)  # type: ignore[arg-type]


def _is_a_choice(problem: Problem) -> bool:
    """Whether some but not all arms can be covered: otherwise there is nothing to learn."""
    covered = problem.best.covered
    return bool(covered.any() and not covered.all())
