"""Worlds: problems, and what policies see of them. shipped/ holds the problems that come with the package."""
