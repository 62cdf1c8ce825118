"""Snapshots have all data for layouts, in one form only."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.schema import (
    MessageSpec,
    SchemaSet,
    VersionRange,
    from_snapshot,
    read_message,
    read_snapshot,
    resolve,
    to_snapshot,
    write_snapshot,
)
from tests.kafkawire.schema.random_specs import message_specs, without_positions
from tests.kafkawire.schema.refused_schemas import schema

_TEXT = schema(
    '{ "name": "A", "type": "[]S", "versions": "0+", "about": "secret",\n'
    '  "nullableVersions": "1+", "fields": [\n'
    '  { "name": "K", "type": "string", "versions": "0+", "mapKey": true, "default": "none" },\n'
    '  { "name": "T", "type": "[]T", "versions": "2+", "fields": [\n'
    '    { "name": "U", "type": "int8", "versions": "2+" } ] } ] }',
    '{ "name": "C", "type": "Shared", "versions": "2+",\n'
    '  "taggedVersions": "2+", "tag": 0, "ignorable": true }',
    common=(
        '{ "name": "Shared", "versions": "2+",\n'
        '  "fields": [{ "name": "B", "type": "int8", "versions": "2" }] }',
    ),
    listeners='"broker"',
    headerVersions='{ "0-1": 1, "2+": 2 }',
)
_WRITTEN = """\
{"format":1,"release":"9.9.0","modules":{
"clients":{
"ProbeRequest":{"type":"request","apiKey":1,"validVersions":"0-3","flexibleVersions":"2+",\
"headerVersions":{"0-1":1,"2+":2},"listeners":["broker"],"fields":[
["A","[]S","0+",{"nullableVersions":"1+","fields":[
 ["K","string","0+",{"default":"none","mapKey":true}],
 ["T","[]T","2+",{"fields":[
  ["U","int8","2+"]]}]]}],
["C","Shared","2+",{"taggedVersions":"2+","tag":0,"ignorable":true}]],"commonStructs":{
"Shared":["2+",[
["B","int8","2"]]]}}}}}
"""


def _probe() -> MessageSpec:
    spec, problems = read_message(_TEXT, "Probe.json")
    assert problems == []
    assert spec is not None
    return spec


def _set(*specs: MessageSpec) -> SchemaSet:
    return SchemaSet("9.9.0", {"clients": {spec.name: spec for spec in specs}})


def test_a_snapshot_has_one_text() -> None:
    """There is a line for each message and each field, with Kafka's names and without its descriptions."""
    assert write_snapshot(_set(_probe())) == _WRITTEN


def test_layouts_from_a_snapshot_are_the_same() -> None:
    """The definition and its snapshot give equal layouts in each version."""
    _, again = read_snapshot(_WRITTEN).find("ProbeRequest")
    for version in range(4):
        assert resolve(again, version) == resolve(_probe(), version)


@given(st.lists(message_specs(), max_size=3, unique_by=lambda spec: spec.name))
def test_nothing_is_lost(specs: list[MessageSpec]) -> None:
    """Sets are read back equal, as dicts and as text; the text does not depend on the order."""
    schemas = _set(*map(without_positions, specs))
    assert from_snapshot(json.loads(json.dumps(to_snapshot(schemas)))) == schemas
    text = write_snapshot(schemas)
    assert read_snapshot(text) == schemas
    assert json.loads(text) == to_snapshot(schemas)
    assert write_snapshot(_set(*reversed(specs))) == text


def test_positions_are_not_kept() -> None:
    """Lines and file names are not part of a snapshot."""
    _, again = read_snapshot(_WRITTEN).find("ProbeRequest")
    assert again == without_positions(_probe())
    assert again.header_versions == ((VersionRange(0, 1), 1), (VersionRange(2, 32767), 2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "an object"),
        ("{", "Expecting"),
        ('{"format":2,"release":"1","modules":{}}', "has format 2, this program reads 1"),
        ('{"format":1,"release":"1"}', "at head"),
        (_WRITTEN.replace('"int8"', '"int9"'), "at clients/ProbeRequest"),
        (_WRITTEN.replace('"validVersions":"0-3",', ""), "at clients/ProbeRequest"),
        (_WRITTEN.replace('["B","int8","2"]', "7"), "at clients/ProbeRequest"),
    ],
)
def test_a_text_that_is_not_a_snapshot_is_refused(text: str, words: str) -> None:
    """Another text is refused, with its place."""
    with pytest.raises(ValueError, match=words):
        read_snapshot(text)
