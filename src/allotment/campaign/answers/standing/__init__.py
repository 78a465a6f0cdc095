"""Where things stand."""
