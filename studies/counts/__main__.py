"""`python -m studies.counts` runs the study and prints its tables."""

from studies.command import run
from studies.counts.study import REPLICATIONS, report

run(report, REPLICATIONS)
