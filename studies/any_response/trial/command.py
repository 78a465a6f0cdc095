"""The command of the trial."""

import argparse
import sys
import tempfile
from pathlib import Path

from allotment.errors import AllotmentError
from studies.any_response.trial.extent import SMALL
from studies.any_response.trial.frozen import freeze
from studies.any_response.trial.parts import COUNTS, WHOLE, Part
from studies.any_response.trial.report import run_sections, write_report
from studies.any_response.trial.results import outcomes_in
from studies.any_response.trial.run import play, run_trial
from studies.any_response.trial.run_log import label

REHEARSAL_SEED = 1


def main(arguments: list[str] | None = None) -> int:
    """Freeze, run, report or rehearse; gives the exit code."""
    given = _parser().parse_args(arguments)
    part = COUNTS if given.counts else WHOLE
    try:
        if given.freeze:
            freeze(part)
        elif given.report:
            write_report(part)
        elif given.rehearse:
            _rehearse(part, given.old, given.workers)
        else:
            ordinal = run_trial(given.number, part, old=given.old, workers=given.workers)
            print(f"The {label(ordinal)} is complete. Write its page with --report.")
    except AllotmentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; a run with the same number goes on from here", file=sys.stderr)
        return 130
    return 0


def _rehearse(part: Part, old: Path | None, workers: int | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play(REHEARSAL_SEED, folder, SMALL, part, old, workers)
        print("\n".join(run_sections(outcomes_in(folder), SMALL, part)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="any_response.trial", description="The clean trial of AnyResponse.")
    does = parser.add_mutually_exclusive_group(required=True)
    does.add_argument("--freeze", action="store_true", help="Write frozen.json.")
    does.add_argument("--number", type=int, help="Run the trial with the number picked after the freeze.")
    does.add_argument("--report", action="store_true", help="Write docs/studies/any-response-trial.md.")
    does.add_argument(
        "--rehearse", action="store_true", help="Play a few rounds of everything; keep nothing."
    )
    parser.add_argument(
        "--counts", action="store_true", help="Only the worlds of counts, in files of their own."
    )
    parser.add_argument("--old", type=Path, help="Play the rule of this checkout of 0.2.0.dev1, too.")
    parser.add_argument("--workers", type=int, default=2, help="Number of threads.")
    return parser
