"""Several situations: loss rates in each of them, and what the rates and curves of an arm have in common."""
