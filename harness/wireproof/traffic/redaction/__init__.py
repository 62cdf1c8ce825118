"""Redaction: names of users, machines and clusters in frames, records and segment files are replaced.

Everything here takes bytes and returns bytes; `pseudonymizer` lists the texts that are kept.
"""
