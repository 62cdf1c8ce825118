"""A message with every type and every trait a field can have, as text and as layouts."""

from kafkawire.schema import MessageLayout, Severity, read_message, resolve

TEXT = """
// A comment, with "quotes" and // more
{
  "apiKey": 77, "type": "request", "name": "KitchenSinkRequest",
  /* a block { comment } */
  "validVersions": "0-2", "flexibleVersions": "1+",
  "commonStructs": [
    { "name": "Node", "versions": "0+", "fields": [
      { "name": "Id", "type": "int32", "versions": "0+", "mapKey": true },
      { "name": "Host", "type": "string", "versions": "0+" },
      { "name": "Rack", "type": "string", "versions": "1+", "nullableVersions": "1+", "ignorable": true }
    ]}
  ],
  "fields": [
    { "name": "Flag", "type": "bool", "versions": "0+" },
    { "name": "FlagOn", "type": "bool", "versions": "0+", "default": "true" },
    { "name": "Tiny", "type": "int8", "versions": "0+" },
    { "name": "ErrorCode", "type": "int16", "versions": "0+" },
    { "name": "Port", "type": "uint16", "versions": "0+" },
    { "name": "Leader", "type": "int32", "versions": "0+", "default": "-1" },
    { "name": "MaxBytes", "type": "int32", "versions": "0+", "default": "0x7fffffff" },
    { "name": "Crc", "type": "uint32", "versions": "0+" },
    { "name": "Timestamp", "type": "int64", "versions": "0+" },
    { "name": "Quota", "type": "float64", "versions": "0+" },
    { "name": "TopicId", "type": "uuid", "versions": "0+" },
    { "name": "Name", "type": "string", "versions": "0+", "about": "http://example.org" },
    { "name": "Group", "type": "string", "versions": "0+", "nullableVersions": "1+", "default": "main" },
    { "name": "ClientId", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null" },
    { "name": "Blob", "type": "bytes", "versions": "0+" },
    { "name": "Metadata", "type": "bytes", "versions": "0+", "nullableVersions": "0+" },
    { "name": "Batches", "type": "records", "versions": "0+", "nullableVersions": "0+" },
    { "name": "Snapshot", "type": "records", "versions": "0+" },
    { "name": "Replicas", "type": "[]int32", "versions": "0+" },
    { "name": "Names", "type": "[]string", "versions": "0+", "nullableVersions": "1+" },
    { "name": "Keys", "type": "[]uuid", "versions": "1+", "ignorable": true },
    { "name": "Topics", "type": "[]Topic", "versions": "0+", "nullableVersions": "1+", "fields": [
      { "name": "Topic", "type": "string", "versions": "0+", "mapKey": true },
      { "name": "Partitions", "type": "[]Partition", "versions": "0+", "fields": [
        { "name": "Index", "type": "int32", "versions": "0+" },
        { "name": "Offset", "type": "int64", "versions": "0+", "default": "-1" },
        { "name": "Diverging", "type": "Epoch", "versions": "1+", "taggedVersions": "1+", "tag": 0,
          "fields": [
          { "name": "Epoch", "type": "int32", "versions": "1+", "default": "-1" },
          { "name": "EndOffset", "type": "int64", "versions": "1+", "default": "-1" }
        ]}
      ]}
    ]},
    { "name": "Nodes", "type": "[]Node", "versions": "0+" },
    { "name": "Cursor", "type": "Cursor", "versions": "1+", "nullableVersions": "1+", "default": "null",
      "fields": [
      { "name": "Topic", "type": "string", "versions": "1+" },
      { "name": "Position", "type": "int32", "versions": "1+" }
    ]},
    { "name": "Owner", "type": "Owner", "versions": "0+", "fields": [
      { "name": "User", "type": "string", "versions": "0+" },
      { "name": "Uid", "type": "int64", "versions": "2+" }
    ]},
    { "name": "Cluster", "type": "string", "versions": "1+", "nullableVersions": "1+", "taggedVersions": "1+",
      "tag": 0, "default": "null", "ignorable": true },
    { "name": "Epoch", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 1, "default": "-1" },
    { "name": "Replica", "type": "ReplicaState", "versions": "1+", "taggedVersions": "1+", "tag": 2,
      "fields": [
      { "name": "ReplicaId", "type": "int32", "versions": "1+" },
      { "name": "ReplicaName", "type": "string", "versions": "1+" }
    ]},
    { "name": "Classic", "type": "Classic", "versions": "1+", "nullableVersions": "1+",
      "taggedVersions": "1+", "tag": 3, "default": null, "fields": [
      { "name": "SessionMs", "type": "int32", "versions": "1+" }
    ]},
    { "name": "Endpoints", "type": "[]Node", "versions": "2+", "taggedVersions": "2+", "tag": 4 },
    { "name": "Extra", "type": "bytes", "versions": "2+", "taggedVersions": "2+", "tag": 5 },
    { "name": "Later", "type": "int32", "versions": "2+", "ignorable": true },
    { "name": "LaterStrict", "type": "int32", "versions": "2+" }
  ]
}
"""

VERSIONS = (0, 1, 2)


def layout(version: int, text: str = TEXT) -> MessageLayout:
    """The layout of the message, or of a variant of its text, at a version."""
    spec, problems = read_message(text, "KitchenSinkRequest.json")
    if spec is None or any(problem.severity is Severity.ERROR for problem in problems):
        raise ValueError(problems)
    return resolve(spec, version)


def message(fields: str, *, more: str = "", flexible: str = "0+", version: int = 0) -> MessageLayout:
    """The layout of a message of one version with these fields, in the language of the definitions."""
    return layout(
        version,
        f'{{"type": "data", "name": "Small", "validVersions": "0-{version}", '
        f'"flexibleVersions": "{flexible}", {more} "fields": [{fields}]}}',
    )
