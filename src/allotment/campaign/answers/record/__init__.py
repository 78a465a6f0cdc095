"""What plans expected, beside what happened."""
