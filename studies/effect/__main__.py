"""`python -m studies.effect` runs the study and prints its tables."""

from studies.command import run
from studies.effect.study import CAMPAIGNS, report

run(report, CAMPAIGNS)
