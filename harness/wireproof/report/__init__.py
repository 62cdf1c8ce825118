"""Listeners to a run: terminal, event file."""
