"""How a study is run from a terminal."""

import argparse
from collections.abc import Callable, Iterator


def run(report: Callable[..., Iterator[str]], replications: int) -> None:
    """Print a study part by part; `replications` is how many each part takes unless told otherwise."""
    parser = argparse.ArgumentParser(description=report.__doc__)
    parser.add_argument("--replications", type=int, default=replications, help="Independent repetitions.")
    parser.add_argument("--seed", type=int, default=0, help="The same seed gives the same numbers.")
    parser.add_argument("--workers", type=int, help="Threads; as many as there are cores by default.")
    given = parser.parse_args()
    for part in report(given.replications, given.seed, workers=given.workers):
        print(part, end="\n\n", flush=True)
