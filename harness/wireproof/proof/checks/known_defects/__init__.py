"""Known Kafka bugs and leniencies: Kafka's own departures from its protocol."""
