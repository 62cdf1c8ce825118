"""Definitions in krammar: read for commands, and converted from and to Kafka's language."""
