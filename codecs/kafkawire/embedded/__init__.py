"""Messages that travel as bytes inside other data, each with the label its framing puts before it.

| framing | label on the wire | used by |
|---|---|---|
| `VersionPrefixed` | int16 version | consumer protocol, principals, coordinator values and, up to 3.9, keys |
| `TypePrefixed` | int16 record type | coordinator keys from 4.0 on |
| `RecordFramed` | uvarint frame version, record type, version | metadata log, remote log metadata |
| `ControlRecordCodec` | the record's key: int16 version, int16 type | control records, those of snapshots too |
"""

from kafkawire.embedded.control_record import CONTROL_BODY_VERSION, CONTROL_MESSAGES, ControlRecordCodec
from kafkawire.embedded.label import BlobCodec, Codecs, Label
from kafkawire.embedded.prefixes import TypePrefixed, VersionPrefixed
from kafkawire.embedded.record_frame import PREVIEW_FRAME, RECORD_FRAME, RecordFramed

__all__ = [
    "CONTROL_BODY_VERSION",
    "CONTROL_MESSAGES",
    "PREVIEW_FRAME",
    "RECORD_FRAME",
    "BlobCodec",
    "Codecs",
    "ControlRecordCodec",
    "Label",
    "RecordFramed",
    "TypePrefixed",
    "VersionPrefixed",
]
