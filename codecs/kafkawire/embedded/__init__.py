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
