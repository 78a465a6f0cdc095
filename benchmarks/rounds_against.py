"""Compares the processor time of AnyResponse's rounds with that of an earlier commit.

Usage: python benchmarks/rounds_against.py COMMIT [WORLD ...]

Both versions play the same worlds in turn, each in a process of its own. The ratio is the median over
repetitions of the ratio within a repetition, so that other work on the machine affects both sides alike.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPETITIONS, ARMS, ROUNDS = 9, 20, 1500
WORLDS = {  # name: what a round shows, whether counts, and the half-life
    "yes/no losses": ("losses", "binary", None),
    "yes/no finds": ("finds", "binary", None),
    "counted losses": ("losses", "counts", None),
    "counted finds": ("finds", "counts", None),
    "yes/no losses, half-life 200": ("losses", "binary", 200.0),
    "counted losses, half-life 200": ("losses", "counts", 200.0),
    "counted finds, half-life 200": ("finds", "counts", 200.0),
}


def serve() -> None:
    """Play a world for every line that comes in, and answer with the microseconds of a round."""
    import numpy as np

    import allotment as al

    for line in sys.stdin:
        sees, losses, half_life, seed = json.loads(line)
        rates = np.linspace(0.05, 1.0, ARMS) * (3.0 if losses == "counts" else 1.0)
        problem = al.Problem(
            rates, budget=4.0, response=al.Exponential(0.35), unit=0.05, sees=sees, losses=losses
        )
        policy = al.AnyResponse(unit=0.05, sees=sees, losses=losses, half_life=half_life)
        start = time.process_time()
        al.simulate(problem, policy, horizon=ROUNDS, replications=1, seed=seed, workers=1, progress=False)
        print((time.process_time() - start) / ROUNDS * 1e6, flush=True)


def player(source: Path) -> subprocess.Popen[str]:
    """A process that plays with the package in a folder."""
    command = [sys.executable, __file__, "--serve"]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def played(process: subprocess.Popen[str], world: tuple[str, str, float | None], seed: int) -> float:
    """The microseconds of a round."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps([*world, seed]) + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compare(commit: str, names: list[str]) -> None:
    """Print a row of a table for each world."""
    import statistics

    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        sides = [player(Path(folder) / "src"), player(ROOT / "src")]
        print(f"| world | {commit} | now | ratio |\n| --- | ---: | ---: | ---: |")
        for name in names or WORLDS:
            for side in sides:
                played(side, WORLDS[name], 0)  # compiles
            times = [[played(side, WORLDS[name], seed) for side in sides] for seed in range(REPETITIONS)]
            then, now = (statistics.median(each) for each in zip(*times, strict=True))
            ratio = statistics.median(after / before for before, after in times)
            print(f"| {name} | {then:.1f} µs | {now:.1f} µs | {ratio:.2f} |", flush=True)
        for side in sides:
            side.communicate()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve()
    else:
        compare(sys.argv[1], sys.argv[2:])
