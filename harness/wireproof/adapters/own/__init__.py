"""Our side of a codec under test."""

from wireproof.adapters.own.blob_adapter import EmbeddedAdapter, MakeBlobCodec, blob_codec
from wireproof.adapters.own.kafkawire_adapter import HeaderLayouts, KafkawireAdapter
from wireproof.adapters.own.limited_codec import LimitedCodec
from wireproof.adapters.own.record_adapter import RecordCodec, RecordsAdapter

__all__ = [
    "EmbeddedAdapter",
    "HeaderLayouts",
    "KafkawireAdapter",
    "LimitedCodec",
    "MakeBlobCodec",
    "RecordCodec",
    "RecordsAdapter",
    "blob_codec",
]
