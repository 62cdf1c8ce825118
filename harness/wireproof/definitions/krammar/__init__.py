"""krammar, franz-go's definition language: a second way to write what Kafka's JSON defines."""
