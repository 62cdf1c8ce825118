"""Commands about a run."""
