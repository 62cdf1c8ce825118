"""Messages that travel as bytes inside other data, each with the label its framing puts before it.

| framing | label on the wire | used by |
|---|---|---|
| `VersionPrefixed` | int16 version | consumer protocol, principals, coordinator values and, up to 3.9, keys |
| `TypePrefixed` | int16 record type | coordinator keys from 4.0 on |
| `RecordFramed` | uvarint frame version, record type, version | metadata log, remote log metadata |
| `ControlRecordCodec` | the record's key: int16 version, int16 type | control records, also of snapshots |
| `Unlabelled` | nothing | the sticky assignor's user data |

`hand_written_specs` has what Kafka writes without a schema file: the sticky assignor's data and Connect's.
"""

from kafkawire.embedded.control_record import (
    CONTROL_BODY_VERSION,
    CONTROL_MESSAGES,
    PREVIEW_LEADER_CHANGE,
    ControlRecordCodec,
)
from kafkawire.embedded.hand_written import CONNECT_MESSAGES, STICKY_USER_DATA, hand_written_specs
from kafkawire.embedded.label import BlobCodec, Codecs, Label
from kafkawire.embedded.prefixes import TypePrefixed, VersionPrefixed
from kafkawire.embedded.record_frame import PREVIEW_FRAME, RECORD_FRAME, RecordFramed
from kafkawire.embedded.unlabelled import Unlabelled

__all__ = [
    "CONNECT_MESSAGES",
    "CONTROL_BODY_VERSION",
    "CONTROL_MESSAGES",
    "PREVIEW_FRAME",
    "PREVIEW_LEADER_CHANGE",
    "RECORD_FRAME",
    "STICKY_USER_DATA",
    "BlobCodec",
    "Codecs",
    "ControlRecordCodec",
    "Label",
    "RecordFramed",
    "TypePrefixed",
    "Unlabelled",
    "VersionPrefixed",
    "hand_written_specs",
]
