"""People: who may sign in to this campaign, and links that sign phones in."""
