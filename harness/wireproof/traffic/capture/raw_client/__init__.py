"""A raw Kafka client: one connection, one request at a time, with TLS and SASL logins."""
