"""Random streams, keyed by seed, replication and role, and by nothing else.

So neither the other policies of a run nor the number of replications, workers or chunks changes what one
policy sees or draws, and all policies of a run face the same losses.
"""

import numpy as np

from allotment.checks import whole

ENVIRONMENT, POLICY = 0, 1


def environment_stream(seed: int, replication: int) -> np.random.Generator:
    """What the environment of one replication draws from."""
    return _stream(seed, replication, ENVIRONMENT)


def policy_stream(seed: int, replication: int) -> np.random.Generator:
    """What a policy in one replication draws from."""
    return _stream(seed, replication, POLICY)


def _stream(seed: int, replication: int, role: int) -> np.random.Generator:
    key = np.random.SeedSequence(whole("seed", seed, least=0), spawn_key=(replication, role))
    return np.random.Generator(np.random.PCG64(key))
