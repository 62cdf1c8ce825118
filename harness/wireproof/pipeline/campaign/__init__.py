"""A campaign: the phases of a run, proven by Spark's workers."""
