"""Kafka's own generated classes, through JPype."""
