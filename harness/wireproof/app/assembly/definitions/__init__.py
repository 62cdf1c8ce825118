"""Message definitions for commands: operands, forks, conversions, and what Kafka's generator says of them."""
