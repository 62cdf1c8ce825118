"""The context of one cell: its codecs and oracle, batches of values, the shrinker of failures."""
