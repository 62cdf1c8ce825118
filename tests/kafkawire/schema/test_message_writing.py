"""`write_message`: the JSON of a definition."""

from dataclasses import replace

from hypothesis import given

from kafkawire.schema import KIP_625, MessageSpec, read_message, write_message
from tests.kafkawire.schema.random_specs import message_specs, without_positions

TEXT = """\
{
  "apiKey": 3,
  "type": "request",
  "name": "ProbeRequest",
  "listeners": ["broker"],
  "validVersions": "0-2",
  "flexibleVersions": "1+",
  "fields": [
    { "name": "A", "type": "int32", "versions": "0+", "encoding": {"0+": "packed32"}, "default": "-1" },
    { "name": "B", "type": "[]Part", "versions": "0+", "fields": [
      { "name": "C", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0, "ignorable": true }
    ] }
  ],
  "commonStructs": [
    { "name": "Shared", "versions": "0+", "fields": [
      { "name": "D", "type": "bytes", "versions": "0+", "zeroCopy": true }
    ] }
  ]
}
"""


def test_the_text_is_as_kafkas_authors_write_it() -> None:
    """A line for each key of the message, and for each field."""
    spec, _ = read_message(TEXT, "Probe.json", KIP_625)
    assert spec is not None
    assert write_message(spec) == TEXT


@given(message_specs())
def test_a_written_definition_is_read_as_the_same(spec: MessageSpec) -> None:
    """All that a definition has but header versions, which Kafka's generator refuses."""
    bare = replace(spec, header_versions=())
    again, _ = read_message(write_message(bare), "", KIP_625)
    assert again is not None
    assert without_positions(again) == bare
