"""The ground: files that wireproof owns, text for people, exit codes, the version, extras. Nothing of Kafka.

Door: the modules themselves. It imports no other district.
"""
