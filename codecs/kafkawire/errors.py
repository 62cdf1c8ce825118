"""Errors of the codec, with the fault and its place as data.

A codec raises only `DecodeError` and `EncodeError`; any other exception is a bug of the codec. `str` makes
the sentence from the data; no code parses it. Making a codec of an unknown version, message or release raises
`UnsupportedVersionError`, `UnknownMessageError` or `UnknownReleaseError`.
"""

from enum import StrEnum
from typing import Self


class Fault(StrEnum):
    """The reason why bytes or a value are refused. The text is stable: reports and ledgers hold it."""

    # Decoding.
    TRUNCATED = "truncated"
    """Fewer bytes are left than the type, or a length declared before, needs."""
    TRAILING = "trailing-bytes"
    """Bytes remain after a whole message."""
    VARINT = "varint-too-long"
    """A varint goes on past its fifth (varlong: tenth) byte or past 32 (64) bits."""
    LENGTH = "invalid-length"
    """A length or count that is negative without meaning null, or above the type's limit."""
    NULL = "null-not-allowed"
    """Null in a field that this version does not allow to be null (either direction)."""
    MARKER = "invalid-marker"
    """The marker of a nullable struct is neither null nor present."""
    UTF8 = "invalid-utf8"
    """Bytes that are not UTF-8, or text that has no UTF-8 form (a lone surrogate)."""
    TAG_ORDER = "tag-order"
    """Tags of one section that do not strictly ascend (KIP-482, "Tag Sections")."""
    TAG_SIZE = "tag-size"
    """A tagged field whose data does not fill the size declared for it."""
    TAG_VERSION = "tag-not-in-version"
    """A tag that the message defines, but not at this version."""
    MAGIC = "invalid-magic"
    """A batch of a magic that does not exist, or that may not be inside another (either direction)."""
    CRC = "crc-mismatch"
    """The checksum of a batch or message is not that of its bytes."""
    CODEC = "invalid-codec"
    """A compression that does not exist, or not at this magic or place (either direction)."""
    COMPRESSION = "invalid-compressed-data"
    """Compressed bytes that are not what the codec's framing asks for."""
    BOMB = "decompressed-too-large"
    """Compressed data that holds more than the caller's limit allows."""
    COUNT = "count-mismatch"
    """A batch that holds more or fewer records than it says, or a compressed set that holds none."""
    RECORD_SIZE = "record-size"
    """A record or message whose content does not fill the size declared for it."""

    LABEL = "unknown-label"
    """A blob whose type, version or frame version is none that is known (either direction)."""

    # Encoding.
    TYPE = "wrong-type"
    """A value whose Python type the field does not take."""
    RANGE = "out-of-range"
    """A number outside the field's type."""
    TOO_LONG = "too-long"
    """A string above 32,767 bytes, or bytes and arrays above 2^31 - 1."""
    UNKNOWN_FIELD = "unknown-field"
    """A key that no version of the struct has."""
    NOT_IN_VERSION = "not-in-version"
    """A non-default value for a field that this version lacks and that is not ignorable."""
    TAG = "invalid-tag"
    """An unknown tag: negative, above 2^31 - 2, defined by the struct, or in a version without tags."""


class CodecError(ValueError):
    """A refusal: `fault` says why, `path` says which field, `offset` says which byte.

    Attributes:
        fault: the kind of the refusal.
        path: the field, such as ``topics[3].partitions[0].errorCode``; ``""`` is the message itself.
        offset: for `DecodeError` the byte, counted from the start of the buffer given, at which the
            refused item begins; None for `EncodeError`.
        detail: the value at fault in a few words, for people only.
    """

    __slots__ = ("detail", "fault", "offset", "path")

    def __init__(self, fault: Fault, path: str, detail: str, offset: int | None = None) -> None:
        super().__init__(fault, path, detail, offset)
        self.fault = fault
        self.path = path
        self.detail = detail
        self.offset = offset

    def within(self, step: str) -> Self:
        """The same refusal with a path that begins one level further out, at `step`."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return type(self)(self.fault, f"{step}{joint}{self.path}", self.detail, self.offset)

    def __str__(self) -> str:
        place = self.path or "the message"
        at = "" if self.offset is None else f" at byte {self.offset}"
        return f"{self.fault}: {place}{at}: {self.detail}"


class DecodeError(CodecError):
    """Bytes that are not a message of the layout."""

    __slots__ = ()


class EncodeError(CodecError):
    """A value that is not a message of the layout."""

    __slots__ = ()


class UnsupportedVersionError(ValueError):
    """A version that the message does not have (Kafka: `UnsupportedVersionException`).

    Attributes:
        message: its name.
        version: the version asked for.
        lowest, highest: the range of versions; empty for a retired message (`lowest` above `highest`).
    """

    def __init__(self, message: str, version: int, lowest: int, highest: int) -> None:
        super().__init__(message, version, lowest, highest)
        self.message = message
        self.version = version
        self.lowest = lowest
        self.highest = highest

    def __str__(self) -> str:
        if self.lowest > self.highest:
            return f"{self.message} has no version {self.version}: it has none"
        only = self.lowest == self.highest
        known = str(self.lowest) if only else f"{self.lowest}-{self.highest}"
        return f"{self.message} has no version {self.version}: it has {known}"


class UnknownMessageError(LookupError):
    """A message that the release does not have.

    Attributes:
        message: the name asked for.
        release: the release asked.
        nearest: similar names that the release has, the most similar first; may be empty.
    """

    def __init__(self, message: str, release: str, nearest: tuple[str, ...]) -> None:
        super().__init__(message, release, nearest)
        self.message = message
        self.release = release
        self.nearest = nearest

    def __str__(self) -> str:
        advice = "kafkawire.messages() lists all names"
        if self.nearest:
            advice = f"did you mean {' or '.join(self.nearest)}?"
        return f"Kafka {self.release} has no message {self.message!r}: {advice}"


class UnknownReleaseError(LookupError):
    """A release whose schemas are not bundled.

    Attributes:
        release: the release asked for.
        bundled: the releases there are, newest first.
    """

    def __init__(self, release: str, bundled: tuple[str, ...]) -> None:
        super().__init__(release, bundled)
        self.release = release
        self.bundled = bundled

    def __str__(self) -> str:
        return (
            f"the schemas of release {self.release!r} are not bundled: expected newest, one of "
            f"{', '.join(self.bundled)}, or the text of a line, as {self.bundled[0].rpartition('.')[0]!r}"
        )
