"""`python -m studies.any_response` runs the study and prints its tables."""

from studies.any_response.study import REPLICATIONS, report
from studies.command import run

run(report, REPLICATIONS)
