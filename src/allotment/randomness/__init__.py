"""Random numbers: streams by seed, compiled draws, and the luck of a world."""
