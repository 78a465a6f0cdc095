"""Compiled parts of policies: the protocol, and what several policies share or is too dense for one file."""
