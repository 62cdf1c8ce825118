"""Fingerprints of frames: classes of values, error codes, and the bytes that each field takes."""
