"""Answers of a campaign: status, frontier, forecast, explanation."""
