"""Bytes <-> scalars. Knows no schemas."""
