"""Redaction: names of users, machines and clusters in frames, records and segment files are replaced.

Everything here takes bytes and returns bytes; `pseudonymizer` lists the texts that are kept.
"""

from wireproof.traffic.redaction.frame_redactor import (
    FrameRedactor,
    QuarantinedData,
    RedactedFrame,
    RedactedInnerMessage,
)
from wireproof.traffic.redaction.pseudonymizer import (
    PUBLIC_FIELDS,
    PUBLIC_WORDS,
    Pseudonymizer,
    is_public_field,
)
from wireproof.traffic.redaction.record_redactor import is_uncompressed, redact_records
from wireproof.traffic.redaction.segment_redactor import SegmentRedactor

__all__ = [
    "FrameRedactor",
    "QuarantinedData",
    "RedactedFrame",
    "RedactedInnerMessage",
    "Pseudonymizer",
    "PUBLIC_FIELDS",
    "PUBLIC_WORDS",
    "is_public_field",
    "is_uncompressed",
    "redact_records",
    "SegmentRedactor",
]
