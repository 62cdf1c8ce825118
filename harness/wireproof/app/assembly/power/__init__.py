"""Campaigns of mutation testing, put together: mutants, the judge of a worker, the least share of kills."""
