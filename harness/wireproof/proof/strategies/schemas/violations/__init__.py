"""Operators that break one rule of Kafka's generator in a valid message definition."""
