"""Layouts: one message with every type, random ones, real ones."""
