"""Regret in worlds drawn from the prior, beside the bound of docs/bayesian-regret.md."""
