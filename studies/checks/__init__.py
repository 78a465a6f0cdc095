"""How often the checks of a campaign misfire, and what they find."""
