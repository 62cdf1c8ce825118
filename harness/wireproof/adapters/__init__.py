"""Our side of a codec under test."""

from wireproof.adapters.blobs import EmbeddedAdapter, MakeBlobCodec, blob_codec
from wireproof.adapters.kafkawire import HeaderLayouts, KafkawireAdapter
from wireproof.adapters.limited import LimitedCodec
from wireproof.adapters.records import RecordCodec, RecordsAdapter

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
