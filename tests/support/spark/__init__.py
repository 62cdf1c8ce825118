"""Spark's processes, and environments that its workers make."""
