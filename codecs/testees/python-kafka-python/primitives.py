"""kafka-python's codecs of primitive types (`kafka.protocol.schemas.fields.codecs`).

They read from a stream. An argument selects compact lengths.
"""

from __future__ import annotations

import io
import uuid
from typing import Any

import wireproof_testee as kit
from kafka.protocol.schemas.fields.codecs import types

ZERO = uuid.UUID(int=0)

CODECS: dict[str, tuple[Any, bool]] = {
    "Bool": (types.Boolean, False),
    "Int8": (types.Int8, False),
    "Int16": (types.Int16, False),
    "Uint16": (types.UnsignedInt16, False),
    "Int32": (types.Int32, False),
    "Int64": (types.Int64, False),
    "Float64": (types.Float64, False),
    "Uuid": (types.UUID, False),
    "NullableString": (types.String(), False),
    "CompactNullableString": (types.String(), True),
    "NullableBytes": (types.Bytes, False),
    "CompactNullableBytes": (types.Bytes, True),
    "UnsignedVarint": (types.UnsignedVarInt32, False),
    "Varint": (types.VarInt32, False),
    "Varlong": (types.VarInt64, False),
}
"""All strings and bytes are nullable: the library has no others."""


def primitives() -> dict[str, kit.Primitive]:
    return {name: _primitive(codec, compact) for name, (codec, compact) in CODECS.items()}


def _primitive(codec: Any, compact: bool) -> kit.Primitive:
    def read(data: bytes) -> tuple[Any, int]:
        stream = io.BytesIO(data)
        value = codec.decode(stream, compact=compact)
        # the library reads the zero UUID as None
        return (ZERO if value is None and codec is types.UUID else value), stream.tell()

    return kit.Primitive(read, lambda value: codec.encode(value, compact=compact))
