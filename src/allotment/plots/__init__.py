"""Draws plain data. Whoever has something to show makes the data and calls what is here."""
