"""Kafka's programs and the processes that run them: from jars on this machine, or in containers."""
