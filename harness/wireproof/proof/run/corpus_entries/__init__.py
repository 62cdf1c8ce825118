"""Corpus entries: generated with Kafka's classes, and verified against them."""
