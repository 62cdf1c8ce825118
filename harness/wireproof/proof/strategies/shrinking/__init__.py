"""Shrink a failing value."""
