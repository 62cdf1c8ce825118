"""Bytes of connections: segment files, streams, frames, exchanges, and the messages inside frames.

Everything here takes bytes and returns values. No module opens a socket or a file, or imports Java or Spark.
The capture, the corpus, the client judge and the Spark jobs share this package.
"""

from wireproof.traffic.wire.connection_decoder import (
    CLIENT_NAMES,
    LOST_IN_CAPTURE,
    OWN_CLIENT,
    ConnectionDecoder,
    DecodedPart,
    IdentifiedFrame,
    SkippedBytes,
)
from wireproof.traffic.wire.damaged_segments import with_holes
from wireproof.traffic.wire.frame_identifier import (
    ExchangeTypes,
    FrameIdentifier,
    FrameType,
    UnknownFrameReason,
    UnknownFrameType,
)
from wireproof.traffic.wire.frame_splitter import (
    MAX_FRAME_BYTES,
    ForeignBytes,
    Frame,
    FrameSplitter,
    guess_protocol,
)
from wireproof.traffic.wire.inner_messages import (
    InnerMessage,
    InnerMessageReader,
    InternalLog,
    can_have_inner_messages,
    find_internal_log,
    has_consumer_members,
    has_inner_messages,
    has_streams_members,
    is_subscription,
)
from wireproof.traffic.wire.log_files import log_batches, parse_topic
from wireproof.traffic.wire.request_matcher import (
    Exchange,
    MatchedFrames,
    RequestResponseMatcher,
    SaslToken,
    UnpairedFrame,
    UnpairedReason,
)
from wireproof.traffic.wire.segment_format import (
    MARKER_BYTES,
    MAX_PAYLOAD_BYTES,
    EntryKind,
    SegmentDamage,
    SegmentEntry,
    SegmentFormatError,
    SegmentPart,
    StreamDirection,
)
from wireproof.traffic.wire.segment_reader import SegmentFollower, read_segment, segment_facts, segment_marker
from wireproof.traffic.wire.segment_writer import SegmentWriter
from wireproof.traffic.wire.stream_assembler import AssembledPart, LossReason, LostBytes, StreamAssembler

__all__ = [
    "CLIENT_NAMES",
    "LOST_IN_CAPTURE",
    "OWN_CLIENT",
    "ConnectionDecoder",
    "DecodedPart",
    "IdentifiedFrame",
    "SkippedBytes",
    "with_holes",
    "ExchangeTypes",
    "FrameIdentifier",
    "FrameType",
    "UnknownFrameReason",
    "UnknownFrameType",
    "MAX_FRAME_BYTES",
    "ForeignBytes",
    "Frame",
    "FrameSplitter",
    "guess_protocol",
    "InnerMessage",
    "InnerMessageReader",
    "InternalLog",
    "can_have_inner_messages",
    "find_internal_log",
    "has_consumer_members",
    "has_inner_messages",
    "has_streams_members",
    "is_subscription",
    "log_batches",
    "parse_topic",
    "Exchange",
    "MatchedFrames",
    "RequestResponseMatcher",
    "SaslToken",
    "UnpairedFrame",
    "UnpairedReason",
    "MARKER_BYTES",
    "MAX_PAYLOAD_BYTES",
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
