"""Duty sheets: a plan on paper, with boxes for what happened."""
