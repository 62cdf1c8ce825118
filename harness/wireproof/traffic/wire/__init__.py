"""Bytes of connections: segment files, streams, frames, exchanges, and the messages inside frames.

Everything here takes bytes and returns values. No module opens a socket or a file, or imports Java or Spark.
The capture, the corpus, the client judge and the Spark jobs share this package.
"""

from wireproof.traffic.wire.connection_decoder import (
    LOST_IN_CAPTURE,
    ConnectionDecoder,
    DecodedPart,
    IdentifiedFrame,
    SkippedBytes,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.traffic.wire.inner_messages import (
    InnerMessageReader,
    can_have_inner_messages,
    has_inner_messages,
    log_batches,
    parse_topic,
)
from wireproof.traffic.wire.request_matcher import (
    Exchange,
    Frame,
    FrameSplitter,
    RequestResponseMatcher,
    SaslToken,
    UnpairedFrame,
    UnpairedReason,
    guess_protocol,
)
from wireproof.traffic.wire.segment_format import (
    EntryKind,
    SegmentDamage,
    SegmentEntry,
    SegmentFormatError,
    SegmentPart,
    SegmentWriter,
    StreamDirection,
)
from wireproof.traffic.wire.segment_reader import (
    SegmentFollower,
    read_segment,
    segment_facts,
    segment_marker,
    with_holes,
)
from wireproof.traffic.wire.stream_assembler import AssembledPart, LossReason, LostBytes, StreamAssembler

__all__ = [
    "LOST_IN_CAPTURE",
    "ConnectionDecoder",
    "DecodedPart",
    "IdentifiedFrame",
    "SkippedBytes",
    "with_holes",
    "FrameIdentifier",
    "FrameType",
    "UnknownFrameType",
    "Frame",
    "FrameSplitter",
    "guess_protocol",
    "InnerMessageReader",
    "can_have_inner_messages",
    "has_inner_messages",
    "log_batches",
    "parse_topic",
    "Exchange",
    "RequestResponseMatcher",
    "SaslToken",
    "UnpairedFrame",
    "UnpairedReason",
    "EntryKind",
    "SegmentDamage",
    "SegmentEntry",
    "SegmentFormatError",
    "SegmentPart",
    "StreamDirection",
    "SegmentFollower",
    "read_segment",
    "segment_facts",
    "segment_marker",
    "SegmentWriter",
    "AssembledPart",
    "LossReason",
    "LostBytes",
    "StreamAssembler",
]
