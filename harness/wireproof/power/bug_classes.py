"""The classes of real codec bugs: what 236 of them, found in 13 groups of Kafka codecs, came to."""

from enum import StrEnum
from typing import Self

__all__ = ["BugClass"]


class BugClass(StrEnum):
    """The short name of a class, as ``wireproof power --class`` takes it.

    Attributes:
        words: what the class is about.
        share: how many of the 236 bugs were of it.
    """

    words: str
    share: int

    def __new__(cls, name: str, words: str = "", share: int = 0) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.words = words
        member.share = share
        return member

    NULL = "null", "null and empty, nullability that begins at a version", 34
    FIELDS = "fields", "a field missing, extra, misplaced or mistyped in a version", 30
    TAGS = "tags", "tagged fields, unknown tags", 27
    RECORDS = "records", "record batches, legacy sets, control records", 27
    HOSTILE = "hostile", "hostile lengths, counts, truncation", 23
    FLEXIBLE = "flexible", "where flexible versions start, compact and legacy, header versions", 17
    INTEGERS = "integers", "width and sign of integers, time overflow", 14
    EMBEDDED = "embedded", "embedded and coordinator data", 13
    DEFAULTS = "defaults", "defaults, ignorable fields", 11
    VARINTS = "varints", "varints", 11
    MAPS = "maps", "map keys, equality, values that went through JSON", 10
    COMPRESSION = "compression", "framing of compressed data", 9
    CODES = "codes", "unknown error codes and apis", 5
    BUFFERS = "buffers", "buffers of fixed size, offsets, state between calls", 4
    UTF8 = "utf8", "lengths of text in bytes and in characters", 1
