"""The reader of record sets with deviations."""
