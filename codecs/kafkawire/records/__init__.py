"""Record batches: the content of a records field, of magic 0, 1 and 2, both ways."""

from kafkawire.records._libraries import RECORD_PACKAGES, MissingLibraryError, crc32c, missing_libraries
from kafkawire.records.annotation import (
    COMPRESSED,
    UNREAD,
    AnnotatedMessage,
    annotate_records,
    annotate_with_records,
)
from kafkawire.records.compression import Compress, Decompress, compress, decompress
from kafkawire.records.control import ControlType, EndTransactionMarker, control_key, control_type
from kafkawire.records.decoding import MAX_DECOMPRESSED, decode_records
from kafkawire.records.encoding import encode_records
from kafkawire.records.kafka_view import to_canonical
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
from kafkawire.records.plain_values import from_value, highest_magic, to_value
from kafkawire.records.set_layouts import record_set_layout, record_set_spec, view_layout
from kafkawire.records.size import size_of_records

__all__ = [
    "COMPRESSED",
    "MAX_DECOMPRESSED",
    "RECORD_PACKAGES",
    "UNREAD",
    "AnnotatedMessage",
    "Batch",
    "Compress",
    "Compression",
    "ControlType",
    "Decompress",
    "EndTransactionMarker",
    "Header",
    "Message",
    "MessageSet",
    "MissingLibraryError",
    "Record",
    "RecordBatch",
    "RecordSet",
    "annotate_records",
    "annotate_with_records",
    "compress",
    "control_key",
    "control_type",
    "crc32c",
    "decode_records",
    "decompress",
    "encode_records",
    "from_value",
    "highest_magic",
    "missing_libraries",
    "record_set_layout",
    "record_set_spec",
    "size_of_records",
    "to_canonical",
    "to_value",
    "view_layout",
]
