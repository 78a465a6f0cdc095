"""Record: what plans expected beside what happened, and a page to print for the chief."""
