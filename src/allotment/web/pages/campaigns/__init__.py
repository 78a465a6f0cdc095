"""The first page: which campaign, and a new one from a table of places."""
