"""The history of a campaign: events, the store that keeps them, and the state that they imply."""
