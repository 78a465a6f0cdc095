"""What may be granted."""
