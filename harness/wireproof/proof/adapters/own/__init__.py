"""Adapters of our own codec."""
