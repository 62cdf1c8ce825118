"""Sessions with testees: send requests, read answers, find offending requests."""
