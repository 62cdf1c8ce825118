"""Plan -> engine -> events."""
