"""Facts about Kafka: error codes and what each release can do."""
