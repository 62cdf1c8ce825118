"""The classes of bugs that the histories and issue trackers of public Kafka codecs have."""

from enum import StrEnum
from typing import Self


class BugClass(StrEnum):
    """The short name of a class, as ``wireproof power --class`` takes it.

    Attributes:
        words: what the class is about.
    """

    words: str

    def __new__(cls, name: str, words: str = "") -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.words = words
        return member

    NULL = "null", "null and empty, nullability that begins at a version"
    FIELDS = "fields", "a field missing, extra, misplaced or mistyped in a version"
    TAGS = "tags", "tagged fields, unknown tags"
    RECORDS = "records", "record batches, legacy sets, control records"
    HOSTILE = "hostile", "hostile lengths, counts, truncation"
    FLEXIBLE = "flexible", "where flexible versions start, compact and legacy, header versions"
    INTEGERS = "integers", "width and sign of integers, time overflow"
    EMBEDDED = "embedded", "embedded and coordinator data"
    DEFAULTS = "defaults", "defaults, ignorable fields"
    VARINTS = "varints", "varints"
    MAPS = "maps", "map keys, equality, values that went through JSON"
    COMPRESSION = "compression", "framing of compressed data"
    CODES = "codes", "unknown error codes and apis"
    BUFFERS = "buffers", "buffers of fixed size, offsets, state between calls"
    UTF8 = "utf8", "lengths of text in bytes and in characters"
