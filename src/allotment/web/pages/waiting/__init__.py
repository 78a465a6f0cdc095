"""The page of long work."""
