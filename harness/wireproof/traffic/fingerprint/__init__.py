"""Fingerprints of frames: classes of values, error codes, and the bytes that each field takes."""

from wireproof.traffic.fingerprint.field_sizes import FieldSize, FieldSizeMeter
from wireproof.traffic.fingerprint.fingerprinter import (
    Fingerprint,
    Fingerprinter,
    iter_error_codes,
    response_classifier,
)

__all__ = [
    "FieldSize",
    "FieldSizeMeter",
    "Fingerprint",
    "Fingerprinter",
    "iter_error_codes",
    "response_classifier",
]
