"""What happened in a campaign: events, the store that keeps them, and what they imply."""
