"""Regret in worlds drawn from the prior, beside the bound of docs/explanation/bayesian-regret.md."""
