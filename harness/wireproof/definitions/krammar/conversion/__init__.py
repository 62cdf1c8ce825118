"""Definitions of krammar from those of Kafka's language, and the other way round."""
