"""Bytes on the wire and at rest: captures, frames, redaction, and the corpus of entries made from them.

Doors: `capture`, `corpus`, `fingerprint`, `redaction` and `wire`. It imports `kafka`, `model` and `base`.
"""
