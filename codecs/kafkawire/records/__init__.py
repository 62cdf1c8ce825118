"""Record batches: the content of a records field, of magic 0, 1 and 2, both ways."""

from kafkawire.records._libraries import MissingLibraryError, missing_libraries
from kafkawire.records.annotation import annotate_records
from kafkawire.records.canonical import to_canonical
from kafkawire.records.control import ControlType, EndTransactionMarker, control_key, control_type
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
from kafkawire.records.text import records_from_json, records_to_json

__all__ = [
    "MAX_DECOMPRESSED",
    "Batch",
    "Compression",
    "ControlType",
    "EndTransactionMarker",
    "Header",
    "Message",
    "MessageSet",
    "MissingLibraryError",
    "Record",
    "RecordBatch",
    "RecordSet",
    "annotate_records",
    "control_key",
    "control_type",
    "decode_records",
    "encode_records",
    "missing_libraries",
    "records_from_json",
    "records_to_json",
    "to_canonical",
]
