"""Answers of a campaign: status, frontier, forecast, checks, explanation."""
