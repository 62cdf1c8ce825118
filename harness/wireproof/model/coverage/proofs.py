"""Verification of reasons: each is derived again from the layout, by other code than the first time.

An unreachable class is looked up by its path. Its reason is then checked against its name: by the widths of
types, by the canonical form, number by number. A reason that cannot be shown here does not count.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, assert_never

from kafkawire.canonical import canonical
from kafkawire.errors import EncodeError
from kafkawire.records import (
    Compression,
    Message,
    MessageSet,
    RecordBatch,
    RecordSet,
    encode_records,
    highest_magic,
)
from kafkawire.schema.layout import AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from wireproof.model.coverage import reasons
from wireproof.model.coverage.reasons import Reason
from wireproof.model.coverage.wire_sizes import WIDTHS

HEADER: Final = "header."
"""The prefix of header paths in frames."""

_NO_FIELD: Final = "the layout has no such field"
_WIDTHS: Final = {**WIDTHS, **dict.fromkeys((ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS), 1)}
"""The size in bytes of a value; for types with a length, of one character."""

_LONGEST: Final = 32767


def disproof(
    layout: MessageLayout, frame: Mapping[str, int] | None, path: str, name: str, reason: Reason
) -> str:
    """The objection to the reason for a class of a layout; empty where the reason holds.

    Args:
        frame: the fields of a frame's header that name the message; None for a message that is not a header.
    """
    parts = path.removeprefix(HEADER if frame is not None else "").split(".")
    owner = _struct_at(layout.root, parts[:-1])
    if owner is None:
        return _NO_FIELD
    field = _field_of(owner, parts[-1].removesuffix("[]"))
    match reason:
        case reasons.TooSmall():
            return _of_small(layout) if path == "message" else "a message, not a field, has a size"
        case reasons.TooLarge():
            return _of_large(name, frame is not None, reason)
        case reasons.AlwaysInFrame():
            return _of_frame((frame or {}).get(path.removeprefix(HEADER)), name, reason)
        case reasons.NoFreeTag():
            return _of_tags(owner, name, reason) if parts[-1] == TAGS else _NO_FIELD
        case reasons.OfOtherVersions():
            return _of_versions(field, layout.version, reason)
        case reasons.NoSuchSize():
            return _of_size(field, name, reason)
        case reasons.NoSuchCompression() | reasons.NoBatch():
            return "no reason for a message"
        case _:
            assert_never(reason)


def record_disproof(path: str, reason: Reason) -> str:
    """The objection to the reason for a class of record sets; empty where the reason holds."""
    if isinstance(reason, reasons.NoSuchCompression) and path == "batches[zstd]":
        return "it can be written" if _has_zstd(reason.magic) else ""
    if isinstance(reason, reasons.NoBatch) and path == "batches":
        return "it counts there" if highest_magic(RecordSet()) == reason.magic else ""
    return "no reason for record sets"


def _has_zstd(magic: int) -> bool:
    message = Message(magic=magic)
    batch = RecordBatch(compression=Compression.ZSTD)
    held = batch if magic == 2 else MessageSet(Compression.ZSTD, (message,), magic=magic)
    try:
        encode_records((held,))
    except EncodeError:
        return False
    return True


def _struct_at(struct: StructLayout | None, steps: list[str]) -> StructLayout | None:
    for step in steps:
        field = None if struct is None else _field_of(struct, step.removesuffix("[]"))
        struct = None if field is None else field.struct
    return struct


def _field_of(struct: StructLayout, name: str) -> FieldLayout | AbsentField | None:
    fields: tuple[FieldLayout | AbsentField, ...] = (*struct.all_fields, *struct.absent)
    return next((each for each in fields if each.name == name), None)


def _of_versions(
    field: FieldLayout | AbsentField | None, version: int, reason: reasons.OfOtherVersions
) -> str:
    if not isinstance(field, AbsentField):
        return f"version {version} has the field"
    if version in reason.versions or field.versions != reason.versions:
        return f"it is a field of versions {field.versions}"
    return ""


def _of_large(name: str, in_frame: bool, reason: reasons.TooLarge) -> str:
    limit = reasons.HEADER_BYTES if in_frame else reasons.MESSAGE_BYTES
    kind, _, digits = name.rpartition("-")
    number = int(digits) if digits.isdecimal() else 0
    # The prefix holds length + 1, and each of its bytes seven bits.
    least = {"length": number, "prefix": (1 << 7 * max(number - 1, 0)) - 1}.get(kind, 0)
    return "" if least > limit and reason.limit_bytes == limit else f"{least} bytes are within {limit}"


def _of_small(layout: MessageLayout) -> str:
    texts = list(_texts(layout.root))
    if None in texts:
        return "a message of any size can be made"
    # The canonical form has the widths of the wire, except that the length of a text has four bytes, not two.
    most = len(canonical(layout).to_binary(_largest(layout.root))) - 2 * len(texts)
    return "" if most <= reasons.KIB_64 else f"a message of {most} bytes can be made"


def _texts(struct: StructLayout) -> Iterator[str | None]:
    """The text fields, at any depth; None for each field whose size is not bounded."""
    if struct.flexible:
        yield None
    for field in struct.fields:
        if field.is_array or field.scalar in (ScalarType.BYTES, ScalarType.RECORDS):
            yield None
        elif field.struct is not None:
            yield from _texts(field.struct)
        elif field.scalar is ScalarType.STRING:
            yield field.name


def _largest(struct: StructLayout) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for field in struct.fields:
        if field.struct is not None:
            value[field.name] = _largest(field.struct)
        elif field.scalar is ScalarType.STRING:
            value[field.name] = "x" * _LONGEST
    return value


def _of_tags(struct: StructLayout, name: str, reason: reasons.NoFreeTag) -> str:
    known = sorted(field.tag for field in struct.tagged if field.tag is not None)
    spans = {
        "below": range(min(known, default=0)),
        "between": range(min(known, default=0) + 1, max(known, default=0)),
    }
    span = spans.get(name)
    if span is None or (span.start, span.stop - 1) != (reason.low, reason.high):
        return f"{name} is not from {reason.low} to {reason.high}"
    # A number that is neither known, nor known by other versions, which refuse it.
    free = set(span) - set(known) - set(struct.reserved_tags)
    return f"tag {min(free)} is free" if free else ""


def _of_size(field: FieldLayout | AbsentField | None, name: str, reason: reasons.NoSuchSize) -> str:
    if not isinstance(field, FieldLayout) or field.tag is None:
        return "not a tagged field"
    if name != f"data-{reason.size_bytes}":
        return f"not about {reason.size_bytes} bytes"
    if field.struct is not None or field.scalar is None:
        return "structs of any size can be made"
    if field.is_array and field.scalar in (ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS):
        return "elements of any size can be made"
    width, counted = _WIDTHS[field.scalar], field.is_array or field.scalar in _COUNTED
    counts = range(reason.size_bytes + 1) if counted else (1,)
    for count in counts:
        prefix = (1 if count < 127 else 2) if counted else 0
        if prefix + width * count == reason.size_bytes:
            return f"{count} of {width} bytes take {reason.size_bytes}"
    return ""


_COUNTED: Final = frozenset({ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS})


def _of_frame(number: int | None, name: str, reason: reasons.AlwaysInFrame) -> str:
    if number is None or number != reason.number:
        return f"not always {reason.number}"
    meets = {
        "min": number == -(2**15),
        "max": number == 2**15 - 1,
        "over-int8": 2**7 <= number < 2**15 - 1,
        "under-int8": -(2**15) < number < -(2**7),
    }
    met = meets[name] if name in meets else name == str(number)
    return f"{number} is {name}" if met else ""
