"""Whether it pays to tell situations apart, in daily use."""
