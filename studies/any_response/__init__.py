"""The study of AnyResponse: which rule decides best, in which worlds, and what it costs to be wrong."""
