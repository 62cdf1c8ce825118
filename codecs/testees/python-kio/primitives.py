"""kio's readers and writers of primitive types: `kio.serial.readers`, native, and `kio.serial.writers`."""

from __future__ import annotations

import io
import uuid
from collections.abc import Callable
from typing import Any

import wireproof_testee as kit
from kio.serial import readers, writers

ZERO = uuid.UUID(int=0)

CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "Bool": (readers.read_boolean, writers.write_boolean),
    "Int8": (readers.read_int8, writers.write_int8),
    "Int16": (readers.read_int16, writers.write_int16),
    "Uint16": (readers.read_uint16, writers.write_uint16),
    "Int32": (readers.read_int32, writers.write_int32),
    "Uint32": (readers.read_uint32, writers.write_uint32),
    "Int64": (readers.read_int64, writers.write_int64),
    "Float64": (readers.read_float64, writers.write_float64),
    "Uuid": (readers.read_uuid, writers.write_uuid),
    "String": (readers.read_legacy_string, writers.write_legacy_string),
    "NullableString": (readers.read_nullable_legacy_string, writers.write_nullable_legacy_string),
    "CompactString": (readers.read_compact_string, writers.write_compact_string),
    "CompactNullableString": (readers.read_compact_string_nullable, writers.write_nullable_compact_string),
    "Bytes": (readers.read_legacy_bytes, writers.write_legacy_bytes),
    "NullableBytes": (readers.read_nullable_legacy_bytes, writers.write_nullable_legacy_bytes),
    "CompactBytes": (readers.read_compact_string_as_bytes, writers.write_compact_string),
    "CompactNullableBytes": (
        readers.read_compact_string_as_bytes_nullable,
        writers.write_nullable_compact_string,
    ),
    "UnsignedVarint": (readers.read_unsigned_varint, writers.write_unsigned_varint),
    "Varint": (readers.read_signed_varint, writers.write_signed_varint),
    "Varlong": (readers.read_signed_varlong, writers.write_signed_varlong),
}


def primitives() -> dict[str, kit.Primitive]:
    return {name: _primitive(name, *calls) for name, calls in CALLS.items()}


def _primitive(name: str, reader: Callable[..., Any], writer: Callable[..., Any]) -> kit.Primitive:
    def read(data: bytes) -> tuple[Any, int]:
        value, size = reader(data, 0)
        return (ZERO if value is None and name == "Uuid" else value), size

    def write(value: Any) -> bytes:
        buffer = io.BytesIO()
        writer(buffer, value)
        return buffer.getvalue()

    return kit.Primitive(read, write)
