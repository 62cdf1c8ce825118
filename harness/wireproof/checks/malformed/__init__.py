"""Checks of malformed bytes."""
