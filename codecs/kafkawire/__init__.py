"""Kafka's wire protocol: schemas, layouts and codecs, in plain Python."""
