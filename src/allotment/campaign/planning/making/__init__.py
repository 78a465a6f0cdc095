"""Puts a plan together."""
