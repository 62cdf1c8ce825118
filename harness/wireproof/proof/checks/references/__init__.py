"""Checks of the references: the layout, and Kafka's classes."""
