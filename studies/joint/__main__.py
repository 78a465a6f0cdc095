"""`python -m studies.joint` runs the study and prints its tables."""

from studies.command import run
from studies.joint.study import REPLICATIONS, report

run(report, REPLICATIONS)
