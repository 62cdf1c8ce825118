"""Record sets: named cases, Hypothesis strategies, limits."""
