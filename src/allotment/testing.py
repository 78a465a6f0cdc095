"""Checks that a policy keeps the contract, for policies in the package and outside it."""
