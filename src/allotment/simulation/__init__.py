"""Policies against problems: the environment, the compiled rollout, `simulate` and its result."""
