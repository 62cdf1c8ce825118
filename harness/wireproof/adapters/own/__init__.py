"""Adapters of our own codec."""

from wireproof.adapters.header_layouts import HeaderLayouts
from wireproof.adapters.own.blob_adapter import BlobCodecFactory, EmbeddedAdapter, blob_codec
from wireproof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.adapters.own.limited_codec import LimitedCodec
from wireproof.adapters.own.record_adapter import RecordCodec, RecordsAdapter

__all__ = [
    "EmbeddedAdapter",
    "HeaderLayouts",
    "KafkawireAdapter",
    "LimitedCodec",
    "BlobCodecFactory",
    "RecordCodec",
    "RecordsAdapter",
    "blob_codec",
]
