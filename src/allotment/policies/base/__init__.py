"""What a policy is, the learner that it starts, and how policies are found by name."""
