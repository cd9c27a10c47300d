"""From real traffic to a case: what was seen, what must not be shown of it, and the draft that is left."""
