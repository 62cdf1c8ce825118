"""What went over a wire, purely: segment files, packet captures, streams, frames, exchanges, names,
fingerprints, redaction.

Bytes in, values out: nothing here opens a socket or a file, or knows of Java or Spark. Capturing, the corpus
and the pipeline share it.
"""

from wireproof.frames.answers import AnswerLook, answer_look, error_codes
from wireproof.frames.conversation import Conversation, Lost, LostReason, Settled
from wireproof.frames.field_sizes import FieldSize, FieldSizes
from wireproof.frames.fingerprint import Fingerprint, Shown, Sight
from wireproof.frames.inner import Inner, Log, Logs, holds_messages, is_consumers, log_of, may_hold_messages
from wireproof.frames.log_files import log_batches, topic_of
from wireproof.frames.naming import Named, NamedExchange, Naming, Unnamed, UnnamedReason
from wireproof.frames.packet_files import (
    CaptureCutError,
    Interface,
    NoCaptureError,
    PacketSplit,
    split_packet_file,
)
from wireproof.frames.packet_writing import PacketWriter
from wireproof.frames.packets import Endpoint, PacketCount, TcpSegment, read_packets
from wireproof.frames.pairing import Exchange, Lone, LoneReason, Paired, Pairing, Token
from wireproof.frames.public import CLIENT_NAMES, PUBLIC_FIELDS, PUBLIC_WORDS, is_public_field
from wireproof.frames.reassembly import Connections, OpenedConnection
from wireproof.frames.record_redaction import NotUnderstoodError, is_uncompressed, redact_records
from wireproof.frames.redacted_segments import RedactedSegments
from wireproof.frames.redaction import (
    FrameRedaction,
    Quarantined,
    Redacted,
    RedactedInner,
    RedactedLog,
    Redaction,
)
from wireproof.frames.redactor import Redactor
from wireproof.frames.segments import (
    MAX_PAYLOAD_BYTES,
    Damage,
    Direction,
    Entry,
    EntryKind,
    NoSegmentError,
    SegmentFollower,
    SegmentPart,
    SegmentWriter,
    read_segment,
    segment_facts,
    segment_marker,
)
from wireproof.frames.splitting import MAX_FRAME_BYTES, Foreign, Frame, FrameSplitter, protocol_of
from wireproof.frames.talk import OWN_CLIENT, LeftOut, Met, Seen, Talk

__all__ = [
    "MAX_FRAME_BYTES",
    "MAX_PAYLOAD_BYTES",
    "CLIENT_NAMES",
    "OWN_CLIENT",
    "PUBLIC_FIELDS",
    "PUBLIC_WORDS",
    "AnswerLook",
    "CaptureCutError",
    "Connections",
    "Conversation",
    "Damage",
    "Direction",
    "Endpoint",
    "Entry",
    "EntryKind",
    "Exchange",
    "FieldSize",
    "FieldSizes",
    "Fingerprint",
    "Foreign",
    "Frame",
    "FrameRedaction",
    "FrameSplitter",
    "Inner",
    "Interface",
    "LeftOut",
    "Log",
    "Logs",
    "Lone",
    "LoneReason",
    "Lost",
    "LostReason",
    "Met",
    "Named",
    "NamedExchange",
    "Naming",
    "NoCaptureError",
    "NoSegmentError",
    "NotUnderstoodError",
    "OpenedConnection",
    "PacketCount",
    "PacketSplit",
    "PacketWriter",
    "Paired",
    "Pairing",
    "Quarantined",
    "Redacted",
    "RedactedInner",
    "RedactedLog",
    "Redaction",
    "RedactedSegments",
    "Redactor",
    "Seen",
    "SegmentFollower",
    "SegmentPart",
    "SegmentWriter",
    "Settled",
    "Shown",
    "Sight",
    "Talk",
    "TcpSegment",
    "Token",
    "Unnamed",
    "UnnamedReason",
    "answer_look",
    "error_codes",
    "holds_messages",
    "is_consumers",
    "is_public_field",
    "log_of",
    "may_hold_messages",
    "protocol_of",
    "read_packets",
    "read_segment",
    "redact_records",
    "segment_facts",
    "segment_marker",
    "is_uncompressed",
    "log_batches",
    "split_packet_file",
    "topic_of",
]
