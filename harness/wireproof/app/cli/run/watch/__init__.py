"""``wireproof run --watch``: rounds of a run, each started by a changed file or a key."""
