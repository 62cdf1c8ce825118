"""Prove Kafka wire-protocol codecs against Kafka itself."""
