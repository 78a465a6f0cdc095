"""The settings of a campaign, the first ones, and every change of them."""
