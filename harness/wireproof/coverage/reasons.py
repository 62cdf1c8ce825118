"""Why no value meets a class: each reason is worked out from the layout, none is written down for a field.

A function gives the sentence where it applies, else None. What has no reason must be met.
"""

from typing import Final

from kafkawire.schema.layout import AbsentField, FieldLayout, StructLayout
from wireproof.coverage.sizes import LAST_TAG, free_tags, most_bytes, possible_bytes

__all__ = [
    "HEADER_BYTES",
    "KIB_64",
    "MESSAGE_BYTES",
    "no_room_above",
    "no_room_below",
    "no_room_between",
    "no_such_size",
    "of_other_versions",
    "too_large",
    "too_small",
]

MESSAGE_BYTES: Final = 64 << 20
"""Larger messages are not made: a cell has hundreds of cases, and Kafka's own limits are far below."""

HEADER_BYTES: Final = 512
"""Larger headers are not put before every message: the header is a cell itself."""

KIB_64: Final = 1 << 16


def too_large(least_bytes: int, limit_bytes: int) -> str | None:
    """For a class whose values take at least so many bytes."""
    if least_bytes <= limit_bytes:
        return None
    if limit_bytes == HEADER_BYTES:
        return f"a header above {HEADER_BYTES} bytes"
    return f"a message above {MESSAGE_BYTES >> 20} MiB"


def too_small(root: StructLayout) -> str | None:
    """For messages above 64 KiB."""
    most = most_bytes(root)
    return None if most is None or most > KIB_64 else f"the message has at most {most} bytes"


def of_other_versions(field: AbsentField, version: int) -> str | None:
    """For the presence of a field."""
    return None if version in field.versions else f"a field of versions {field.versions}"


def no_such_size(field: FieldLayout, size_bytes: int) -> str | None:
    """For a tagged field's data of exactly so many bytes."""
    return None if possible_bytes(field) >> size_bytes & 1 else f"no value takes {size_bytes} bytes"


def _known(struct: StructLayout) -> list[int]:
    return [field.tag for field in struct.tagged if field.tag is not None]


def no_room_below(struct: StructLayout) -> str | None:
    """For an unknown tag below all known ones."""
    least = min(_known(struct))
    return None if free_tags(struct, 0, least - 1) else f"no number below tag {least} is free"


def no_room_between(struct: StructLayout) -> str | None:
    """For an unknown tag between two known ones."""
    known = _known(struct)
    if free_tags(struct, min(known), max(known)):
        return None
    return f"no number from tag {min(known)} to tag {max(known)} is free"


def no_room_above(struct: StructLayout) -> str | None:
    """For an unknown tag above all known ones."""
    most = max(_known(struct), default=-1)
    return None if free_tags(struct, most + 1, LAST_TAG) else f"no number above tag {most} is free"
