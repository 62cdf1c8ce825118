"""Checks of one value, frame, record set or embedded message, in both directions."""
