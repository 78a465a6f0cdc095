"""`python -m studies.refute` runs the study, prints its tables and draws its figure."""

from studies.command import run
from studies.refute.study import REPLICATIONS, report

run(report, REPLICATIONS)
