"""Split a limited budget over places when success is invisible."""
