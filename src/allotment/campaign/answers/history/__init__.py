"""The history in words."""
