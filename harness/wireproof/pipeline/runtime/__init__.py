"""Spark sessions, the files that travel with a job, limits of workers, and Kafka's classes as functions."""
