"""Corpora: made of Kafka's classes or of captures, counted, and used in place of Java."""
