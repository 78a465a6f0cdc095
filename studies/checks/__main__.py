"""`python -m studies.checks` runs the study and prints its tables."""

from studies.checks.study import CAMPAIGNS, report
from studies.command import run

if __name__ == "__main__":  # not in the processes that it starts
    run(report, CAMPAIGNS)
