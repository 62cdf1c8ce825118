"""Commands about a ledger."""
