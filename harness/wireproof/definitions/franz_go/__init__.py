"""franz-go's definition files: fetched, and compared with Kafka's definitions cell by cell."""
