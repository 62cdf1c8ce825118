"""The catalogue of deviations: what a codec can meet, and what it can do in place of Kafka."""
