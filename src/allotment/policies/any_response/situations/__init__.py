"""Several situations: an arm has a loss rate in each of them, and what its rates and curves have in common."""
