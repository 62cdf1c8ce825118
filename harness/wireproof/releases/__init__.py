"""Kafka releases: fetch their jars, read the schemas out of them."""
