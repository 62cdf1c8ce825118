"""Kafka releases, their jars, and the schemas in the jars."""
