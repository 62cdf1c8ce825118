"""Kafka's message generator as an oracle of the schema language, in the JVM of this process."""
