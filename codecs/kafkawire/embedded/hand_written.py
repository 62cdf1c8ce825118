"""Protocols that Kafka writes by hand, without a schema file, in the schema language.

In Kafka they are objects of `common.protocol.types.Schema`, in `StickyAssignor` (clients), `ConnectProtocol`
and `IncrementalCooperativeConnectProtocol` (connect-runtime, KIP-415 and KIP-507). The names of the messages
are ours. Versions 1 and 2 of Connect's messages differ only in the version number at the beginning.
"""

from functools import cache
from typing import Final

from kafkawire.schema import MessageSpec, read_message

STICKY_USER_DATA: Final = "StickyAssignorUserData"
CONNECT_MESSAGES: Final = ("ConnectWorkerState", "ConnectAssignment")

_STICKY: Final = f"""
{{ "type": "data", "name": "{STICKY_USER_DATA}", "validVersions": "0-1", "flexibleVersions": "none",
  "fields": [
  {{ "name": "PreviousAssignment", "type": "[]TopicAssignment", "versions": "0+", "fields": [
    {{ "name": "Topic", "type": "string", "versions": "0+" }},
    {{ "name": "Partitions", "type": "[]int32", "versions": "0+" }}
  ]}},
  {{ "name": "Generation", "type": "int32", "versions": "1+", "default": "-1", "ignorable": true }}
]}}
"""

_WORKER_STATE: Final = """
{ "type": "data", "name": "ConnectWorkerState", "validVersions": "0-2", "flexibleVersions": "none",
  "fields": [
  { "name": "Url", "type": "string", "versions": "0+" },
  { "name": "ConfigOffset", "type": "int64", "versions": "0+" },
  { "name": "Allocation", "type": "bytes", "versions": "1+", "nullableVersions": "1+", "default": "null",
    "ignorable": true }
]}
"""

_ASSIGNMENT: Final = """
{ "type": "data", "name": "ConnectAssignment", "validVersions": "0-2", "flexibleVersions": "none", "fields": [
  { "name": "Error", "type": "int16", "versions": "0+" },
  { "name": "Leader", "type": "string", "versions": "0+" },
  { "name": "LeaderUrl", "type": "string", "versions": "0+" },
  { "name": "ConfigOffset", "type": "int64", "versions": "0+" },
  { "name": "Assignment", "type": "[]ConnectorTasks", "versions": "0+", "nullableVersions": "1+" },
  { "name": "Revoked", "type": "[]ConnectorTasks", "versions": "1+", "nullableVersions": "1+",
    "ignorable": true },
  { "name": "Delay", "type": "int32", "versions": "1+", "ignorable": true }
], "commonStructs": [
  { "name": "ConnectorTasks", "versions": "0+", "fields": [
    { "name": "Connector", "type": "string", "versions": "0+" },
    { "name": "Tasks", "type": "[]int32", "versions": "0+" }
  ]}
]}
"""


@cache
def hand_written_specs() -> dict[str, MessageSpec]:
    """The protocols by name."""
    specs = {}
    for text in (_STICKY, _WORKER_STATE, _ASSIGNMENT):
        spec, problems = read_message(text, "kafkawire.embedded.hand_written")
        assert spec is not None, problems
        specs[spec.name] = spec
    return specs
