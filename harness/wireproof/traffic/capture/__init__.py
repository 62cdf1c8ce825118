"""Captures of real brokers: a proxy records the traffic between them and their clients."""
