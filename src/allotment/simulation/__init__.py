"""Simulations: the compiled rollout, `simulate`, `sweep` and their results."""
