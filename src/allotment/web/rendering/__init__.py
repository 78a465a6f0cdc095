"""Templates, their tabs, and the files beside them."""
