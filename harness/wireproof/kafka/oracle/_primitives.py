"""Kafka's names of the primitives of the protocol: the constants of ``common.protocol.types.Type``."""

from collections.abc import Mapping
from typing import Final

__all__ = ["TYPES"]

TYPES: Final[Mapping[str, str]] = {
    "Bool": "BOOLEAN",
    "Int8": "INT8",
    "Int16": "INT16",
    "Uint16": "UINT16",
    "Int32": "INT32",
    "Uint32": "UNSIGNED_INT32",
    "Int64": "INT64",
    "Float64": "FLOAT64",
    "Uuid": "UUID",
    "String": "STRING",
    "NullableString": "NULLABLE_STRING",
    "CompactString": "COMPACT_STRING",
    "CompactNullableString": "COMPACT_NULLABLE_STRING",
    "Bytes": "BYTES",
    "NullableBytes": "NULLABLE_BYTES",
    "CompactBytes": "COMPACT_BYTES",
    "CompactNullableBytes": "COMPACT_NULLABLE_BYTES",
    "UnsignedVarint": "",
    "Varint": "VARINT",
    "Varlong": "VARLONG",
}
"""By the name of the cell; empty where Kafka has no type, but methods of what its generated classes read and
write with."""
