"""Commands about a corpus."""
