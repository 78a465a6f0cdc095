"""Counts instead of yes or no: high counts, ageing, units that find one incident each, and campaigns."""
