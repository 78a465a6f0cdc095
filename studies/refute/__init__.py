"""What Refute loses, beside other policies and beside what it would lose if it knew the thresholds."""
