"""Coverage of the intervals of `effect`, rounds until it excludes zero, and the cost of control rounds."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import betaincinv, stdtrit

from allotment.arrays import FloatArray
from studies.effect.campaigns import Played, play
from studies.effect.speed import EXPECTATIONS, Setting, promise, speed
from studies.effect.worlds import KINDS, Kind

CAMPAIGNS = 1000  # over all kinds
DAYS = 240
SHARES = (0.1, 0.25, 0.5)
LEARNING = 30  # rounds before control starts, in every other campaign
FRESH = 360_000  # where the seeds of campaigns start
RUNS = 200  # of a setting, to find how long it takes
PAIRED = 60  # campaigns of a kind, to find the cost
ROOMS = (1.0, 1.25, 1.5, 2.0, 2.5)
ISSUE = ((5.0, 0.5), (5.0, 0.3), (15.0, 0.3))  # losses and effects at which rooms were compared


@dataclass(frozen=True)
class Coverage:
    """Of campaigns: how many there are, and in how many an interval held at all times."""

    campaigns: int
    held: int

    @classmethod
    def of(cls, held: Sequence[bool]) -> "Coverage":
        """Count."""
        return cls(len(held), sum(held))

    def __str__(self) -> str:
        if not self.campaigns:
            return "none"
        low, high = clopper_pearson(self.held, self.campaigns)
        return f"{self.held} of {self.campaigns} ({100 * low:.1f} to {100 * high:.1f} %)"


def clopper_pearson(held: int, of: int) -> tuple[float, float]:
    """The exact 95 % confidence interval of a share.

    >>> [round(end, 4) for end in clopper_pearson(20, 20)]
    [0.8316, 1.0]
    """
    low = betaincinv(held, of - held + 1, 0.025) if held else 0.0
    high = betaincinv(held + 1, of - held, 0.975) if held < of else 1.0
    return float(low), float(high)


def holds(limits: tuple[FloatArray, FloatArray], truth: FloatArray) -> bool:
    """Whether an interval holds the truth at all times at which it is shown."""
    return bool(((limits[0] <= truth) & (truth <= limits[1])).all())


@dataclass(frozen=True)
class Outcome:
    """What one campaign showed."""

    exact: bool
    approximate: bool | None  # None if there were too few control rounds
    excluded: bool  # zero was below the exact interval at some time
    capped: float  # share of rounds
    prevented: float  # in truth, a round
    width: float  # of the exact interval at the end


def outcome(kind: Kind, days: int, seed: int) -> Outcome:
    """Play one campaign; the seed says its share, its response, and whether it learns before control."""
    share, before = SHARES[seed % len(SHARES)], LEARNING * (seed % 2)
    return judged(play(kind, share, days, seed, before=before))


def judged(played: Played) -> Outcome:
    """What a campaign showed."""
    low, high = played.exact()
    narrow = played.approximate()
    shown = narrow[0].size
    return Outcome(
        holds((low, high), played.truth),
        holds(narrow, played.truth[-shown:]) if shown else None,
        bool((low > 0.0).any()),
        float((played.losses > played.contrast.caps).mean()),
        float(played.truth[-1]),
        float(high[-1] - low[-1]),
    )


def coverage(
    kinds: Sequence[Kind], campaigns: int, days: int, seed: int, workers: int | None
) -> Iterator[str]:
    """A row for each kind, and for all."""
    yield (
        "| kind | exact interval held | approximate interval held | zero excluded | capped rounds "
        "| prevented a round | width at the end |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    every: list[Outcome] = []
    for number, kind in enumerate(kinds):
        first = FRESH + 10_000 * number + seed * campaigns
        with ThreadPoolExecutor(workers) as pool:
            found = list(pool.map(partial(outcome, kind, days), range(first, first + campaigns)))
        every += found
        yield row(kind.name, found)
    yield row("all", every)


def row(name: str, found: Sequence[Outcome]) -> str:
    """What campaigns showed, as a row."""
    exact = Coverage.of([each.exact for each in found])
    narrow = Coverage.of([each.approximate for each in found if each.approximate is not None])
    means = [np.mean([getattr(each, name) for each in found]) for name in ("excluded", "capped")]
    shown = " | ".join(f"{100 * each:.1f} %" for each in means)
    sizes = " | ".join(f"{np.mean([getattr(e, name) for e in found]):.2f}" for name in ("prevented", "width"))
    return f"| {name} | {exact} | {narrow} | {shown} | {sizes} |"


def rounded(rounds: float) -> str:
    """A median for a table."""
    return "more than 3000" if np.isinf(rounds) else f"{rounds:.0f}"


def speeds(runs: int, seed: int) -> Iterator[str]:
    """Median rounds until zero is excluded, by effect, share and expectations."""
    yield (
        "| losses a round | effect | expectations | share 0.1 | share 0.25 | share 0.5 | capped rounds |\n"
        "| ---: | ---: | --- | ---: | ---: | ---: | ---: |"
    )
    for losses in (5.0, 15.0):
        for effect in (0.15, 0.3, 0.5):
            for kind in EXPECTATIONS:
                found = [speed(Setting(losses, effect, share, kind), runs, seed) for share in SHARES]
                medians = " | ".join(rounded(each.rounds) for each in found)
                capped = ", ".join(f"{100 * each.capped:.1f}" for each in found)
                yield f"| {losses:g} | {100 * effect:g} % | {kind} | {medians} | {capped} % |"


def promises(runs: int, seed: int) -> Iterator[str]:
    """What `effect --plan` says, and what happens."""
    yield (
        "| losses a round | effect | share | rounds by `effect --plan` "
        "| chance that the approximate interval excludes zero by then "
        "| exact interval, 80 % of runs | times as long |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    for losses in (5.0, 15.0):
        for effect in (0.15, 0.3, 0.5):
            for share in SHARES:
                found = promise(Setting(losses, effect, share), runs, seed)
                times = found.exact / found.rounds
                yield (
                    f"| {losses:g} | {100 * effect:g} % | {share:g} | {found.rounds} | "
                    f"{100 * found.chance:.0f} % | {rounded(found.exact)} | {times:.1f} |"
                )


def rooms(runs: int, seed: int) -> Iterator[str]:
    """The same by room: the geometric mean over settings of the ratio to the fastest room, and its parts."""
    yield "| expectations | " + " | ".join(f"κ = {room:g}" for room in ROOMS) + " |\n| --- |" + " ---: |" * 5
    together: list[FloatArray] = []
    for kind in EXPECTATIONS:
        settings = [Setting(*each, share, kind) for each in ISSUE for share in SHARES]
        medians = np.array(
            [[min(speed(each, runs, seed, room).rounds, 3000.0) for each in settings] for room in ROOMS]
        )
        ratios = np.log(medians / medians.min(axis=0)).mean(axis=1)
        together.append(ratios)
        yield f"| {kind} | " + " | ".join(f"{each:.2f}" for each in np.exp(ratios)) + " |"
    yield "| all | " + " | ".join(f"{each:.2f}" for each in np.exp(np.mean(together, axis=0))) + " |"


def with_error(values: FloatArray) -> str:
    """A mean and half of its 95 % interval."""
    half = stdtrit(values.size - 1, 0.975) * values.std(ddof=1) / np.sqrt(values.size)
    return f"{values.mean():.1f} ± {half:.1f}"


def costs(kinds: Sequence[Kind], campaigns: int, days: int, seed: int, workers: int | None) -> Iterator[str]:
    """Losses with control rounds and without, in the same worlds."""
    yield (
        "| kind | share | losses without control | losses that control rounds withheld | "
        "further losses, in all | share of losses |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    )
    for kind in kinds:
        first = FRESH + 200_000 + seed * campaigns

        def losses(share: float, number: int, kind: Kind = kind) -> tuple[float, float]:
            played = play(kind, share, days, number)
            return float(played.left.sum()), float(played.withheld.sum())

        found = {}
        for share in (0.0, *SHARES):
            with ThreadPoolExecutor(workers) as pool:
                pairs = list(pool.map(partial(losses, share), range(first, first + campaigns)))
            found[share] = np.array(pairs).T
        without = found[0.0][0]
        for share in SHARES:
            left, withheld = found[share]
            more = left - without
            yield (
                f"| {kind.name} | {share:g} | {without.mean():.0f} | {with_error(withheld)} | "
                f"{with_error(more)} | {100 * more.mean() / without.mean():.1f} % |"
            )


def report(
    campaigns: int = CAMPAIGNS, seed: int = 0, workers: int | None = None, *, days: int = DAYS
) -> Iterator[str]:
    """Coverage, speed and cost; `--replications` is the number of campaigns for coverage."""
    each = max(campaigns // len(KINDS), 2)
    part = max(campaigns * PAIRED // CAMPAIGNS, 2)
    yield from coverage(KINDS, each, days, seed, workers)
    runs = max(campaigns * RUNS // CAMPAIGNS, 2)
    yield from speeds(runs, seed)
    yield from promises(5 * runs, seed)
    yield from rooms(max(runs // 2, 2), seed)
    yield from costs(KINDS[:2], part, days, seed, workers)
