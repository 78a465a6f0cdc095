"""Numbers that pages quote, measured. docs/studies/claims.md has the results."""

from collections.abc import Iterator
from typing import Any

from studies.claims import beside_joint, coverage, shared_luck, ties

PROBLEMS = 100  # beside Joint; the other parts have a multiple of it
TIES, RUNS, SHARED = 20, 50, 2  # replications for each of these problems


def report(problems: int = PROBLEMS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Measure, part by part; `--replications` is the number of problems beside Joint."""
    run: dict[str, Any] = {"seed": seed, "workers": workers}
    parts = (
        ("Steps: AnyResponse beside Joint", beside_joint.report(problems, **run)),
        ("CSB-DT-UCB: who is covered at a tie", ties.report(TIES * problems, **run)),
        ("Intervals that hold the mean, of 95 %", coverage.report(RUNS * problems, **run)),
        ("True over stated standard errors", shared_luck.report(SHARED * problems, **run)),
    )
    for title, part in parts:
        yield f"{title}\n\n" + "\n".join(part)
