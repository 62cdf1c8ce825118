"""Fuzzing of the schema language: our front end and codecs against Kafka's generator and its classes."""
