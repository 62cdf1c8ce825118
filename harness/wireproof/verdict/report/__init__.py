"""Listeners to a run: terminal, event file, and the reports that are written at its end."""
