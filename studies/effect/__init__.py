"""Whether the intervals of `effect` hold, how long they take, and what control rounds cost."""
