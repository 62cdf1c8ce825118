"""Oracles: Kafka's classes for tests, and one without Java."""
