"""Redaction: names of users, machines and clusters in frames, records and segment files are replaced.

Everything here takes bytes and returns bytes; `pseudonymizer` lists the texts that are kept.
"""

from wireproof.traffic.redaction.frame_redactor import (
    FrameRedactor,
    QuarantinedData,
    RedactedInnerMessage,
    is_uncompressed,
)
from wireproof.traffic.redaction.pseudonymizer import PUBLIC_WORDS, Pseudonymizer
from wireproof.traffic.redaction.segment_redactor import SegmentRedactor

__all__ = [
    "FrameRedactor",
    "QuarantinedData",
    "RedactedInnerMessage",
    "Pseudonymizer",
    "PUBLIC_WORDS",
    "is_uncompressed",
    "SegmentRedactor",
]
