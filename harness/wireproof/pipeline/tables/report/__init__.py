"""The tables that the report reads."""
