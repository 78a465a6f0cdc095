import pytest

from allotment import CsbSt, EqualSplit, Problem, RandomSplit, simulate


@pytest.fixture(scope="session")
def compiled():
    """What is compiled is kept: processes that are watched then neither wait for that nor speak of it."""
    policies = [CsbSt(), EqualSplit(), RandomSplit()]
    for name in ("paper-1", "paper-2"):
        simulate(Problem.named(name), policies, horizon=1, replications=1, seed=0, progress=False)
