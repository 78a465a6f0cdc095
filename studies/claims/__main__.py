"""`python -m studies.claims` runs the study and prints its tables."""

from studies.claims.study import PROBLEMS, report
from studies.command import run

run(report, PROBLEMS)
