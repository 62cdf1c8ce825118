"""The nouns, and the three faces: Adapter, Oracle, CaseSource."""

from wireproof.model.adapter import (
    Adapter,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Refused,
    Reply,
    Request,
    Size,
    Sized,
)
from wireproof.model.cell import Case, Cell, Phase
from wireproof.model.oracle import (
    FieldProbe,
    Oracle,
    OracleError,
    OracleFrame,
    OracleReply,
    OracleValue,
    Refusal,
    SchemaField,
)
from wireproof.model.source import CaseSource, Judge, SearchResult
from wireproof.model.verdict import Divergence

__all__ = [
    "Adapter",
    "Case",
    "CaseSource",
    "Cell",
    "Crashed",
    "Decode",
    "DecodeFrame",
    "Decoded",
    "DecodedFrame",
    "Divergence",
    "Encode",
    "EncodeFrame",
    "Encoded",
    "FieldProbe",
    "Judge",
    "Oracle",
    "OracleError",
    "OracleFrame",
    "OracleReply",
    "OracleValue",
    "Phase",
    "Refusal",
    "Refused",
    "Reply",
    "Request",
    "SchemaField",
    "SearchResult",
    "Size",
    "Sized",
]
