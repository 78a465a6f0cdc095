"""Today: where things stand, and the plan of the day."""
