"""Every check there is, and what it holds: reports and docs are drawn from this table."""

from enum import StrEnum
from typing import Self

__all__ = ["Check"]


class Check(StrEnum):
    """The name of a check. Its text is stable: event files, ledgers and scripts hold it.

    Attributes:
        holds: what holds where the check passes, one sentence.
    """

    holds: str

    def __new__(cls, name: str, holds: str = "") -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.holds = holds
        return member

    # The layout against Kafka's class, before any case.
    SCHEMA = "schema", "The layout has the fields, order, types and tags of the class's own SCHEMAS"
    NULLABLE = "nullable", "Null is taken by the class exactly where the layout says nullable"
    PRESENCE = "presence", "A field is written, dropped or refused by the class as the layout says"
    DEFAULT = "default", "A fresh instance of the class holds the layout's defaults"
    HEADER = "header", "The header version is the one Kafka's ApiMessageType names"
    CENSUS = "census", "Each field has the classes of values that the release's JSON calls for"
    # A value.
    ENCODE = "encode", "A valid value is encoded"
    BYTES = "bytes", "The codec's bytes are Kafka's for the same value"
    SIZE = "size", "The size announced is the length of the bytes"
    ROUND_TRIP = "round-trip", "Decoding one's own bytes gives the value again"
    ORACLE_READS = "oracle-reads", "Kafka reads the codec's bytes, all of them, to the same value"
    DECODE = "decode", "The codec reads Kafka's bytes to Kafka's value"
    FRAMING = "framing", "Compressed records begin with the framing that Kafka writes"
    CANONICAL = "canonical", "The value has a canonical form"
    REFUSAL = "refusal", "A value that the version cannot hold is refused"
    # The state of a codec.
    CUT = "cut", "Bytes cut short anywhere are refused"
    TAIL = "tail", "Bytes with a tail are refused"
    BUFFER = "buffer", "A value decoded within a larger buffer does not depend on that buffer"
    REPEAT = "repeat", "Encoding twice gives the same bytes"
    RECOVER = "recover", "A refused input leaves nothing behind"
    INTERLEAVE = "interleave", "Another version in between changes nothing"
    FRESH = "fresh", "The first question about a message in a process is answered as any other"
    THREADS = "threads", "Two threads at once change nothing"
    GROWTH = "growth", "Processor time grows no faster than the number of elements"
    # A codec's own objects.
    EQUAL = "equal", "Objects of the codec are equal where their values are, with equal hashes, and else not"
    COPY = "copy", "A duplicate of the codec's object is written as the object is"
    # Versions and releases.
    ABSENT = "absent", "A field that the version lacks is dropped or refused as `ignorable` says"
    TAGS_KEPT = "tags-kept", "Tagged fields that a release does not know come back from it as they were"
    TAG_VERSION = "tag-version", "A tag that means a field in other versions only is refused"
    VERSIONS = "versions", "A version that the message does not have is refused"
    # The oracle itself.
    SECOND = "second-opinion", "Kafka's SCHEMAS read and write what its class does"
    EQUALITY = "equality", "Kafka's instances are equal where all their fields are, and else not"
    # Record sets.
    CHECKSUM = "checksum", "Bytes that do not fit their checksum are refused"
    CUT_OFF = "cut-off", "A last batch that is cut off is told as such, and those before it are read"
    # Messages in other data.
    LABEL = "label", "The version and the type that stand with an embedded message are those of its body"
    TOLERANCE = "tolerance", "An embedded message with a strange label is read or refused as Kafka does"
    # A whole frame.
    FRAME_BYTES = "frame-bytes", "Size, header and body are Kafka's"
    FRAME_DECODE = "frame-decode", "Kafka's frame is read to the same header and body"
    # What a codec says of itself.
    REGISTRY = "registry", "The codec's own registry has Kafka's api keys and header versions"
    CLAIM = "claim", "What the codec claims to do with a cell it does right in one case at least"
    # Bytes that are wrong.
    MALFORMED = "malformed", "Malformed bytes are refused, or read to Kafka's value, within bounds"
    # A corpus.
    ENTRY = "entry", "An entry of a corpus is as Kafka's classes say"
