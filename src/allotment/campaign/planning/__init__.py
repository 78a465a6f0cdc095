"""How a plan is made: its inputs, its bounds, the decision and the reasons."""
