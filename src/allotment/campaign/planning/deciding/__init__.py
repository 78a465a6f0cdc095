"""The decision of a plan."""
