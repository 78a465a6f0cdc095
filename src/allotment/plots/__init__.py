"""Draws plain data. Callers make the data and call a function of this package."""
