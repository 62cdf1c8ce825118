"""Kafka's generated Java classes as an oracle. Importing it starts nothing and needs no jpype."""
