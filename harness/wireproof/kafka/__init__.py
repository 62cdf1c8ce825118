"""Kafka itself: its releases, jars and schemas, and its own generated classes as the oracle.

Doors: `releases` (the only importer of jgo) and `oracle` (the only importer of JPype). It imports `model` and
`base`.
"""
