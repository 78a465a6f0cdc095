"""`python -m studies.calm_plans` runs the study and prints its table."""

from studies.calm_plans.study import REPLICATIONS, report
from studies.command import run

run(report, REPLICATIONS)
