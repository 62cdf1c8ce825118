"""The rules that Kafka's generator applies to definitions."""
