"""Commands about cells and what they consist of."""
