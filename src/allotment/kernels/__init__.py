"""What policies share, compiled: the generic ask and tell, sampling, and choosing whom to cover."""
