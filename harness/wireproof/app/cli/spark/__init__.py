"""Commands about jobs on Spark."""
