"""Record sets in the schema language: the plain value of a set, and the view of Kafka's readers on it.

Kafka has no schema of batches. These two are wireproof's own, so that layouts, canonical forms and paths also
work for record sets. They do not define bytes on the wire: `decoding` and `encoding` do.
"""

from functools import cache
from typing import Final

from kafkawire.schema import MessageLayout, MessageSpec, read_message, resolve

_HEADERS: Final = """
    { "name": "Headers", "type": "[]Header", "versions": "0+", "fields": [
      { "name": "Key", "type": "string", "versions": "0+" },
      { "name": "Value", "type": "bytes", "versions": "0+", "nullableVersions": "0+", "default": "null" }
    ]}
"""

_KEY_AND_VALUE: Final = """
    { "name": "Key", "type": "bytes", "versions": "0+", "nullableVersions": "0+", "default": "null" },
    { "name": "Value", "type": "bytes", "versions": "0+", "nullableVersions": "0+", "default": "null" }
"""

_VALUE: Final = f"""
{{ "type": "data", "name": "RecordBatch", "validVersions": "0-2", "flexibleVersions": "none", "fields": [
  {{ "name": "Batches", "type": "[]Batch", "versions": "0+", "fields": [
    {{ "name": "Magic", "type": "int8", "versions": "0+" }},
    {{ "name": "Compression", "type": "int8", "versions": "0+" }},
    {{ "name": "Offset", "type": "int64", "versions": "0+" }},
    {{ "name": "Timestamp", "type": "int64", "versions": "1+", "default": "-1", "ignorable": true }},
    {{ "name": "Attributes", "type": "int8", "versions": "0+" }},
    {_KEY_AND_VALUE},
    {{ "name": "Messages", "type": "[]Message", "versions": "0+", "fields": [
      {{ "name": "Offset", "type": "int64", "versions": "0+" }},
      {{ "name": "Timestamp", "type": "int64", "versions": "1+", "default": "-1", "ignorable": true }},
      {{ "name": "Attributes", "type": "int8", "versions": "0+" }},
      {_KEY_AND_VALUE}
    ]}},
    {{ "name": "BaseOffset", "type": "int64", "versions": "2+" }},
    {{ "name": "PartitionLeaderEpoch", "type": "int32", "versions": "2+", "default": "-1" }},
    {{ "name": "LogAppendTime", "type": "bool", "versions": "2+" }},
    {{ "name": "Transactional", "type": "bool", "versions": "2+" }},
    {{ "name": "Control", "type": "bool", "versions": "2+" }},
    {{ "name": "DeleteHorizon", "type": "bool", "versions": "2+" }},
    {{ "name": "Reserved", "type": "int16", "versions": "2+" }},
    {{ "name": "LastOffsetDelta", "type": "int32", "versions": "2+" }},
    {{ "name": "BaseTimestamp", "type": "int64", "versions": "2+", "default": "-1" }},
    {{ "name": "MaxTimestamp", "type": "int64", "versions": "2+", "default": "-1" }},
    {{ "name": "ProducerId", "type": "int64", "versions": "2+", "default": "-1" }},
    {{ "name": "ProducerEpoch", "type": "int16", "versions": "2+", "default": "-1" }},
    {{ "name": "BaseSequence", "type": "int32", "versions": "2+", "default": "-1" }},
    {{ "name": "Records", "type": "[]Record", "versions": "2+", "fields": [
      {{ "name": "Attributes", "type": "int8", "versions": "2+" }},
      {{ "name": "TimestampDelta", "type": "int64", "versions": "2+" }},
      {{ "name": "OffsetDelta", "type": "int32", "versions": "2+" }},
      {_KEY_AND_VALUE},
      {_HEADERS}
    ]}}
  ]}},
  {{ "name": "Tail", "type": "bytes", "versions": "0+" }}
]}}
"""

_VIEW: Final = f"""
{{ "type": "data", "name": "RecordSetView", "validVersions": "0", "flexibleVersions": "none", "fields": [
  {{ "name": "Batches", "type": "[]BatchView", "versions": "0+", "fields": [
    {{ "name": "Magic", "type": "int8", "versions": "0+" }},
    {{ "name": "Compression", "type": "int8", "versions": "0+" }},
    {{ "name": "TimestampType", "type": "int8", "versions": "0+" }},
    {{ "name": "Flags", "type": "int8", "versions": "0+" }},
    {{ "name": "BaseOffset", "type": "int64", "versions": "0+" }},
    {{ "name": "LastOffset", "type": "int64", "versions": "0+" }},
    {{ "name": "BaseTimestamp", "type": "int64", "versions": "0+" }},
    {{ "name": "MaxTimestamp", "type": "int64", "versions": "0+" }},
    {{ "name": "PartitionLeaderEpoch", "type": "int32", "versions": "0+" }},
    {{ "name": "ProducerId", "type": "int64", "versions": "0+" }},
    {{ "name": "ProducerEpoch", "type": "int16", "versions": "0+" }},
    {{ "name": "BaseSequence", "type": "int32", "versions": "0+" }},
    {{ "name": "DeleteHorizonMs", "type": "int64", "versions": "0+" }},
    {{ "name": "Records", "type": "[]RecordView", "versions": "0+", "fields": [
      {{ "name": "Offset", "type": "int64", "versions": "0+" }},
      {{ "name": "Timestamp", "type": "int64", "versions": "0+" }},
      {{ "name": "Sequence", "type": "int32", "versions": "0+" }},
      {{ "name": "ControlType", "type": "int16", "versions": "0+" }},
      {_KEY_AND_VALUE},
      {_HEADERS}
    ]}}
  ]}},
  {{ "name": "Tail", "type": "bytes", "versions": "0+" }}
]}}
"""


@cache
def record_set_spec() -> MessageSpec:
    """The message ``RecordBatch``: version m is a set whose highest magic is m.

    A batch of magic 2 is a `RecordBatch`; an older one is a `MessageSet` if it is compressed, else a
    `Message`. The fields of the other kinds are at their defaults.
    """
    return _spec(_VALUE)


@cache
def record_set_layout(magic: int) -> MessageLayout:
    """The layout of `record_set_spec` at one version."""
    return resolve(record_set_spec(), magic)


@cache
def view_layout() -> MessageLayout:
    """Return the layout of the data that Kafka's readers return; `to_canonical` returns its binary form."""
    return resolve(_spec(_VIEW), 0)


def _spec(text: str) -> MessageSpec:
    spec, problems = read_message(text, "kafkawire.records.set_layouts")
    if spec is None:
        raise AssertionError(problems)  # our own text
    return spec
