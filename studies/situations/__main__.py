"""`python -m studies.situations` runs the study and prints its tables."""

from studies.command import run
from studies.situations.study import PROBLEMS, report

run(report, PROBLEMS)
