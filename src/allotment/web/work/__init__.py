"""Long work, its rows and its answers."""
