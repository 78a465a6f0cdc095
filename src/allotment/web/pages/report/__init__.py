"""Report: what happened at each place, from a phone."""
