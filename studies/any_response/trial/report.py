"""docs/studies/any-response-trial.md: tables of every run, verdicts on the limits, and the log."""

from collections.abc import Iterator

from allotment.system.files import replacing
from studies.any_response.trial import run_log
from studies.any_response.trial.analysis import Outcomes
from studies.any_response.trial.extent import Extent
from studies.any_response.trial.parts import WHOLE, Part
from studies.any_response.trial.results import folder_of, outcomes_in
from studies.any_response.trial.tables import limits_table, means_table, ratios_table

OPENING = """# The clean trial of AnyResponse

`make study NAME="any_response.trial --number N"` runs the trial. `make study
NAME="any_response.trial --report"` writes this page. AnyResponse's rule, the other policies, the
worlds, the analysis and the limits were frozen first (`studies/any_response/trial/frozen.json`).
Then someone who did not choose the rule wrote three unseen worlds (`unseen.py`) and picked a
number. The seed is SHA-256 of frozen.json, unseen.py and the number. The first run is the clean
trial. Later runs are labelled as such.
"""
MEANS = """Mean regret of {problems} problems, {runs} runs each, after {horizon:,} rounds (Xu et al.: 500
rounds), with 95 % intervals over problems. The forms called "averaged" average two draws and use
optimistic rates, as AnyResponse does. A dash means that no limit needs this policy in this world,
or that it cannot play there. CTS and Joint play in worlds of steps. Joint is
told `leak_chance=0.01` in all of them, and its resolution is the unit. Policies on pairs other than
monotone TS play in worlds with leaks. The earlier version plays in worlds without large leaks.
Where the world drifts, AnyResponse has a half-life of 250 rounds, and the other policies never
forget.
"""
COUNTED_OPENING = """# The trial of AnyResponse in worlds of counts

`make study NAME="any_response.trial --counts --number N"` runs this trial. `make study
NAME="any_response.trial --counts --report"` writes this page. AnyResponse's rule, the other policies,
the worlds, the analysis and the limits were frozen first
(`studies/any_response/trial/frozen-counts.json`), and then the number was drawn. The seed is SHA-256
of that file and the number. `studies/any_response/trial/counted.py` has the worlds:

- Each of 12 places has a mean count between 0.05 and 1 times the mean in the world's name. Curves are
  steps, lines, exponential or logistic, another shape for each problem. The unit is 0.05.
- Counts are Poisson numbers, or negative binomial ones of size 5 or 1. In capped worlds they are
  Poisson numbers, and a unit prevents one incident at most.
- In worlds that drift, rates and curves are new after 300, 600 and 900 rounds. AnyResponse has a
  half-life of 250 rounds there; the other policies never forget, and none can be told the curves.
  AnyResponse has a half-life in these worlds only, so the trial does not say what one costs elsewhere.

Both runs say version 0.3.0.dev2, but they have two rules. The first run has the rule of commit 9800cf1e,
where counted finds have the prior Gamma(0.5, 0.5). The second run has the rule of commit 1c818191, where
they have Gamma(0.3, 0.05); for counted losses, both rules are the same. 0.3.0.dev3 is the first version with
the second rule. It changes the updates of yes/no losses as well, which play no part here.

Intervals are Student's t in logarithms over the 12 problems. Regret differs between problems by a factor
rather than by a number, so its logarithm is less skewed, and intervals of ratios stay above 0. With 12
problems, a bootstrap covers less than it says.

The limit of 2.4 comes from the [clean trial](any-response-trial.md), which has it for regret over the best
simple policy. It was taken over before the first run.
"""
COUNTED = """Mean regret of {problems} problems, {runs} runs each, after {horizon:,} rounds, with 95 %
intervals over problems. A dash means that a policy does not play there.
"""
DAILY = "Mean losses in 180 days: 60 places, up to 4 units each. History is in days at amount 0.\n"
RATIOS = "AnyResponse's mean over that of each other policy, with 95 % intervals paired by problem.\n"


def write_report(part: Part = WHOLE) -> None:
    """Write the page."""
    with replacing(part.page) as draft:
        draft.write_text("\n".join(_page(part)), "utf-8")


def _page(part: Part) -> Iterator[str]:
    results = part.results
    yield OPENING if part.unseen else COUNTED_OPENING
    for ordinal in range(1, len(run_log.seeds(results)) + 1):
        yield f"## The {run_log.label(ordinal)}\n"
        if ordinal > 1:
            yield "This is not the clean trial: another run came before it.\n"
        yield from run_sections(outcomes_in(folder_of(results, ordinal)), part.extent, part)
    yield "## What was run when\n"
    yield "\n".join(f"- {line}" for line in run_log.lines(results)) + "\n"


def run_sections(outcomes: Outcomes, extent: Extent, part: Part = WHOLE) -> Iterator[str]:
    """The sections of one run: limits, then regret and daily use in full."""
    listed, means = part.all_worlds(), MEANS if part.unseen else COUNTED
    yield f"### Limits\n\n{limits_table(outcomes, part.limits())}\n"
    for title, text, daily in (
        ("Regret", means.format(**extent.to_dict()), False),
        ("Daily use", DAILY, True),
    ):
        if part.unseen or not daily:
            found = {
                each.name: outcomes[each.name]
                for each in listed
                if each.daily is daily and each.name in outcomes
            }
            yield f"### {title}\n\n{text}\n{means_table(found)}\n\n{RATIOS}\n{ratios_table(found)}\n"
