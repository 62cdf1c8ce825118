"""Hypothesis strategies for the tests of your own codec (docs/guides/strategies.md).

    from wireproof.strategies import messages

Each example has a value and the bytes that Kafka writes for it. They need no Java.
"""

from wireproof.model.case_source import RecordCase
from wireproof.proof.strategies.user_strategies import (
    FrameExample,
    MalformedFrame,
    MessageExample,
    frames,
    malformed_frames,
    messages,
    record_sets,
)

__all__ = [
    "FrameExample",
    "MalformedFrame",
    "MessageExample",
    "RecordCase",
    "frames",
    "malformed_frames",
    "messages",
    "record_sets",
]
