"""Kafka releases: which there are, their jars, and the schemas in them."""
