"""aiokafka's primitive types (`aiokafka.protocol.types`), which read from a stream."""

from __future__ import annotations

import io
from typing import Any

import wireproof_testee as kit
from aiokafka.protocol import types

TYPES: dict[str, Any] = {
    "Bool": types.Boolean,
    "Int8": types.Int8,
    "Int16": types.Int16,
    "Int32": types.Int32,
    "Uint32": types.UInt32,
    "Int64": types.Int64,
    "Float64": types.Float64,
    "UnsignedVarint": types.UnsignedVarInt32,
    "Varint": types.VarInt32,
    "Varlong": types.VarInt64,
    "NullableString": types.String("utf-8"),
    "CompactNullableString": types.CompactString("utf-8"),
    "NullableBytes": types.Bytes,
    "CompactNullableBytes": types.CompactBytes,
}
"""All strings and bytes are nullable: the library has no others. It does not have uint16 and uuid."""


def primitives() -> dict[str, kit.Primitive]:
    return {name: _primitive(kind) for name, kind in TYPES.items()}


def _primitive(kind: Any) -> kit.Primitive:
    def read(data: bytes) -> tuple[Any, int]:
        stream = io.BytesIO(data)
        return kind.decode(stream), stream.tell()

    return kit.Primitive(read, kind.encode)
