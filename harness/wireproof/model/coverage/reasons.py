"""Reasons why no value covers a class: each is derived from the layout, none is listed for a field.

A function returns the reason if it applies, else None. A class without a reason must be met. A reason is
data, so that `wireproof.model.coverage.proofs` can verify it with other code.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from kafkawire.schema.layout import AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import VersionRange
from wireproof.model.coverage.wire_sizes import LAST_TAG, free_tags, most_bytes, possible_bytes

MESSAGE_BYTES: Final = 64 << 20
"""The size of the largest message that is made. A cell has hundreds of cases; Kafka's limits are lower."""

HEADER_BYTES: Final = 512
"""The size of the largest header that is put before every message. The header also has cells of its own."""

KIB_64: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A value of the class takes more than a case may."""

    least_bytes: int
    limit_bytes: int

    def __str__(self) -> str:
        if self.limit_bytes == HEADER_BYTES:
            return f"a header above {HEADER_BYTES} bytes"
        return f"a message above {MESSAGE_BYTES >> 20} MiB"


@dataclass(frozen=True, slots=True)
class TooSmall:
    """A reason: no message of this layout can be so large."""

    most_bytes: int

    def __str__(self) -> str:
        return f"the message has at most {self.most_bytes} bytes"


@dataclass(frozen=True, slots=True)
class OfOtherVersions:
    """The version does not have the field."""

    versions: VersionRange

    def __str__(self) -> str:
        return f"a field of versions {self.versions}"


@dataclass(frozen=True, slots=True)
class NoSuchSize:
    """A reason: no value of a tagged field takes exactly so many bytes."""

    size_bytes: int

    def __str__(self) -> str:
        return f"no value takes {self.size_bytes} bytes"


@dataclass(frozen=True, slots=True)
class NoFreeTag:
    """Every number of a span is a tag that the message defines, in this version or in others."""

    low: int
    high: int

    def __str__(self) -> str:
        if self.low == 0:
            return f"no number below tag {self.high + 1} is free"
        if self.high == LAST_TAG:
            return f"no number above tag {self.low - 1} is free"
        return f"no number from tag {self.low - 1} to tag {self.high + 1} is free"


@dataclass(frozen=True, slots=True)
class AlwaysInFrame:
    """A field of a header that names the message."""

    number: int

    def __str__(self) -> str:
        return f"always {self.number} in a frame of this cell"


@dataclass(frozen=True, slots=True)
class NoSuchCompression:
    """A compression that a legacy magic does not have."""

    magic: int

    def __str__(self) -> str:
        return f"magic {self.magic} does not have it"


@dataclass(frozen=True, slots=True)
class NoBatch:
    """A record set without batches: it has no magic, and is counted with the newest magic."""

    magic: int

    def __str__(self) -> str:
        return f"a set of magic {self.magic} has a batch"


Reason: TypeAlias = (
    TooLarge
    | TooSmall
    | OfOtherVersions
    | NoSuchSize
    | NoFreeTag
    | AlwaysInFrame
    | NoSuchCompression
    | NoBatch
)


def too_large(least_bytes: int, limit_bytes: int) -> TooLarge | None:
    """Return the reason for a class whose values take at least so many bytes."""
    return None if least_bytes <= limit_bytes else TooLarge(least_bytes, limit_bytes)


def too_small(root: StructLayout) -> TooSmall | None:
    """Return the reason for messages above 64 KiB."""
    most = most_bytes(root)
    return None if most is None or most > KIB_64 else TooSmall(most)


def of_other_versions(field: AbsentField, version: int) -> OfOtherVersions | None:
    """Return the reason for the presence of a field."""
    return None if version in field.versions else OfOtherVersions(field.versions)


def no_such_size(field: FieldLayout, size_bytes: int) -> NoSuchSize | None:
    """Return the reason for a tagged field's data of exactly so many bytes."""
    return None if possible_bytes(field) >> size_bytes & 1 else NoSuchSize(size_bytes)


def _known(struct: StructLayout) -> list[int]:
    return [field.tag for field in struct.tagged if field.tag is not None]


def no_room_below(struct: StructLayout) -> NoFreeTag | None:
    """Return the reason for an unknown tag below all known ones."""
    return _no_room(struct, 0, min(_known(struct)) - 1)


def no_room_between(struct: StructLayout) -> NoFreeTag | None:
    """Return the reason for an unknown tag between two known ones."""
    known = _known(struct)
    return _no_room(struct, min(known) + 1, max(known) - 1)


def no_room_above(struct: StructLayout) -> NoFreeTag | None:
    """Return the reason for an unknown tag above all known ones."""
    return _no_room(struct, max(_known(struct), default=-1) + 1, LAST_TAG)


def _no_room(struct: StructLayout, low: int, high: int) -> NoFreeTag | None:
    return None if free_tags(struct, low, high) else NoFreeTag(low, high)
