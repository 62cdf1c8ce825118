"""The downgrade of Kafka's coordinators: records that one release writes and another one loads (KIP-915)."""
