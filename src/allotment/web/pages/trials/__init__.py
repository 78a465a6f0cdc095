"""A change of settings on trial: what it means, the plan that would follow, and a button that keeps it."""
