"""`python -m studies.bayes_regret` runs the study, prints its table and draws its figure."""

from studies.bayes_regret.study import WORLDS, report
from studies.command import run

run(report, WORLDS)
