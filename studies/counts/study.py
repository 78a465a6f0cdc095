"""The study of counts, part by part."""

from collections.abc import Iterator

from studies.counts import attention, campaigns, high_counts

REPLICATIONS = 40


def report(replications: int = REPLICATIONS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """High counts and half-lives, the attention benchmark, and campaigns."""
    yield f"Regret after {high_counts.HORIZON} rounds, {replications} replications"
    yield "\n".join(high_counts.table(replications, seed, workers))
    yield "Attention allocation: incidents found"
    yield "\n".join(attention.table(replications, seed, workers))
    yield f"Campaigns of counts: the last {campaigns.LAST} of {campaigns.DAYS} days"
    yield "\n".join(campaigns.table(seed, workers))
