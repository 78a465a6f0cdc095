"""Estimates of the memory that a simulation takes."""

from collections.abc import Iterable

from allotment.errors import shown
from allotment.policies.base.policy import Policy
from allotment.simulation.job import Crew, Job
from allotment.simulation.restarting import COPIES, LARGEST
from allotment.system.memory import BASE, gigabytes, refuse_above_limit
from allotment.worlds.world import World

REGRET = 20  # bytes for every regret that is recorded: parts are joined, and grow by a bit
ROW = 360  # the same in a sweep, whose frame says of every regret what it is of
POINT, POINT_ARM = 12_000, 800  # bytes for every point of a grid, and for each of its arms
RUN_ARM = 3_000  # bytes for every arm of a problem that is played
ROUND = 60  # bytes for every recorded round
FAMILIES = 4  # that are kept, if policies share something


def refuse_large_grid(points: int, arms: int) -> None:
    """Raise an error if problems with up to `arms` arms would take more memory than the limit."""
    refuse_above_limit(
        f"making {points:,} problems with up to {arms:,} arms" if arms else f"making {points:,} problems",
        BASE + points * (POINT + POINT_ARM * float(arms)),
        "smaller ranges",
    )


def refuse_large_record(rounds: int) -> None:
    """Raise an error if the recorded rounds alone would take more memory than the limit."""
    refuse_above_limit(f"recording {rounds:,} rounds", BASE + ROUND * float(rounds), "a smaller record")


def refuse_large_run(jobs: Iterable[Job], replications: int, crew: Crew, row: int = REGRET) -> None:
    """Raise an error if learners and recorded regrets would take more memory than the limit."""
    recorded, each, shared = 0.0, 0.0, set()
    for job in jobs:
        recorded += float(row) * len(job.policies) * replications * job.rounds.size
        for policy in job.policies:
            memory = policy.footprint(job.problem.arms)
            copies = COPIES * min(memory.each, LARGEST)
            each = max(each, memory.each + copies + RUN_ARM * job.problem.arms)
            shared.add(memory.shared)
    workers = crew.workers if crew.is_here else 1
    learners = sum(sorted(shared)[-FAMILIES:]) + workers * each
    refuse_above_limit(
        f"this run ({gigabytes(recorded)} for recorded regrets, {gigabytes(learners)} for {workers} learners "
        f"at a time)",
        BASE + recorded + learners,
        "fewer replications or recorded rounds, a larger unit, fewer arms or workers",
    )


def refuse_large_learner(problem: World, policy: Policy) -> None:
    """Raise an error if a single learner would take more memory than the limit."""
    memory = policy.footprint(problem.arms)
    refuse_above_limit(
        f"{shown(policy.label)} with {problem.arms:,} arms", BASE + sum(memory), "a larger unit, fewer arms"
    )
