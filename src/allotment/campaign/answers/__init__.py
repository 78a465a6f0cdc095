"""What can be asked of a campaign: status, frontier, forecast, explanation."""
