"""Plans that users see."""
