"""Record batches: the content of a records field, of magic 0, 1 and 2, both ways."""

from kafkawire.records._libraries import MissingLibraryError
from kafkawire.records.decoding import MAX_DECOMPRESSED, decode_records
from kafkawire.records.encoding import encode_records
from kafkawire.records.model import (
    Batch,
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
)

__all__ = [
    "MAX_DECOMPRESSED",
    "Batch",
    "Compression",
    "Header",
    "Message",
    "MessageSet",
    "MissingLibraryError",
    "Record",
    "RecordBatch",
    "RecordSet",
    "decode_records",
    "encode_records",
]
