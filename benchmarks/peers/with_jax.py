"""JAX on the CPU: a batch of replications at once, the rounds compiled into one loop."""

from functools import partial

import jax
import jax.numpy as jnp
from turns import ARMS, BEST, CHANCES, PLAYED, ROUNDS, take_turns

BATCH = 100


@partial(jax.jit, static_argnames="batch")
def play_batch(key, batch=BATCH):
    """Mean regret of a batch."""
    chances, rows = jnp.array(CHANCES), jnp.arange(batch)[:, None]

    def one_round(t, state):
        wins, losses, earned = state
        to_draw, to_see = jax.random.split(jax.random.fold_in(key, t))
        played = jax.lax.top_k(jax.random.beta(to_draw, wins, losses), PLAYED)[1]
        rewards = (jax.random.uniform(to_see, (batch, PLAYED)) < chances[played]).astype(wins.dtype)
        return (
            wins.at[rows, played].add(rewards),
            losses.at[rows, played].add(1 - rewards),
            earned + chances[played].sum(axis=1),
        )

    flat = jnp.ones((batch, ARMS))
    earned = jax.lax.fori_loop(0, ROUNDS, one_round, (flat, flat, jnp.zeros(batch)))[2]
    return ROUNDS * BEST - earned.mean()


def play(replications, seed):
    """Mean regret."""
    keys = jax.random.split(jax.random.key(seed), replications // BATCH)
    return sum(play_batch(key).block_until_ready() for key in keys) / len(keys)


if __name__ == "__main__":
    take_turns(play, 100, jax.__version__)
