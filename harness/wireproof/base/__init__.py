"""The base: files that wireproof owns, text for people, exit codes, the version, extras. Nothing of Kafka.

Doors: its modules. It imports no other district.
"""
