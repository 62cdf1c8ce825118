"""Random instances: one drawing procedure for Hypothesis and for seeded blocks."""
