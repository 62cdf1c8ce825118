"""Adapters of our own codec."""

from wireproof.proof.adapters.header_layouts import HeaderLayouts
from wireproof.proof.adapters.own.blob_adapter import EmbeddedAdapter
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.adapters.own.record_adapter import RecordCodec, RecordsAdapter

__all__ = [
    "EmbeddedAdapter",
    "HeaderLayouts",
    "KafkawireAdapter",
    "LimitedCodec",
    "RecordCodec",
    "RecordsAdapter",
]
