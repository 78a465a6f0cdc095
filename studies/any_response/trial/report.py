"""docs/studies/any-response-trial.md: tables of every run, verdicts on the limits, and the log."""

from collections.abc import Iterator
from pathlib import Path

from allotment.files import replacing
from studies.any_response.trial import run_log, worlds
from studies.any_response.trial.analysis import Outcomes
from studies.any_response.trial.extent import FULL, Extent
from studies.any_response.trial.results import RESULTS, folder_of, outcomes_in
from studies.any_response.trial.tables import limits_table, means_table, ratios_table

PAGE = Path(__file__).parents[3] / "docs" / "studies" / "any-response-trial.md"
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
DAILY = "Mean losses in 180 days: 60 places, up to 4 units each. History is in days at amount 0.\n"
RATIOS = "AnyResponse's mean over that of each other policy, with 95 % intervals paired by problem.\n"


def write_report(results: Path = RESULTS, page: Path = PAGE, extent: Extent = FULL) -> None:
    """Write the page."""
    with replacing(page) as draft:
        draft.write_text("\n".join(_page(results, extent)), "utf-8")


def _page(results: Path, extent: Extent) -> Iterator[str]:
    yield OPENING
    for ordinal in range(1, len(run_log.seeds(results)) + 1):
        yield f"## The {run_log.label(ordinal)}\n"
        if ordinal > 1:
            yield "This is not the clean trial: another run came before it.\n"
        yield from run_sections(outcomes_in(folder_of(results, ordinal)), extent)
    yield "## What was run when\n"
    yield "\n".join(f"- {line}" for line in run_log.lines(results)) + "\n"


def run_sections(outcomes: Outcomes, extent: Extent) -> Iterator[str]:
    """The sections of one run: limits, then regret and daily use in full."""
    listed = (*worlds.FIXED, *worlds.unseen_worlds())
    yield f"### Limits\n\n{limits_table(outcomes)}\n"
    for title, text, daily in (
        ("Regret", MEANS.format(**extent.to_dict()), False),
        ("Daily use", DAILY, True),
    ):
        part = {
            each.name: outcomes[each.name] for each in listed if each.daily is daily and each.name in outcomes
        }
        yield f"### {title}\n\n{text}\n{means_table(part)}\n\n{RATIOS}\n{ratios_table(part)}\n"
