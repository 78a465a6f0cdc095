"""The exact 0-1 knapsack."""
