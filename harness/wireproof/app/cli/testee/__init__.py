"""Commands about testees."""
