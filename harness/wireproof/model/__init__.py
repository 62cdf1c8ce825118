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
from wireproof.model.cell import RECORDS_MODULE, Case, Cell, Phase
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
from wireproof.model.records import FieldPath, MessageRecords, RecordCase, RecordSource
from wireproof.model.source import CaseSource, Judge, SearchResult
from wireproof.model.verdict import Divergence

__all__ = [
    "RECORDS_MODULE",
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
    "FieldPath",
    "FieldProbe",
    "Judge",
    "MessageRecords",
    "Oracle",
    "OracleError",
    "OracleFrame",
    "OracleReply",
    "OracleValue",
    "Phase",
    "RecordCase",
    "RecordSource",
    "Refusal",
    "Refused",
    "Reply",
    "Request",
    "SchemaField",
    "SearchResult",
    "Size",
    "Sized",
]
