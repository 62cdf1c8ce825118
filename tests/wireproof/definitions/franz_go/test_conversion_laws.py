"""Laws of conversions: what one language can say, the other reads with the same layouts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import assume, given, settings

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.errors import EncodeError
from kafkawire.schema import (
    FieldSpec,
    LayoutChange,
    MessageKind,
    MessageSpec,
    ScalarType,
    SchemaSet,
    compare_layouts,
    read_message,
    resolve,
    write_message,
)
from kafkawire.values import StructValue
from tests.support.schemas.random_schemas import schemas
from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.conversion.from_schema import from_messages
from wireproof.definitions.krammar.conversion.to_schema import to_message
from wireproof.definitions.krammar.definition_model import KrammarDefinitions, StructRole
from wireproof.definitions.krammar.definition_printing import struct_text
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.strategies.values.whole_instances import defaults as at_defaults
from wireproof.proof.strategies.values.whole_instances import full


def reread(definitions: KrammarDefinitions) -> KrammarDefinitions:
    """Print definitions, and read the text."""
    read, problems = read_definitions({"all": struct_text(definitions.structs)})
    assert read is not None, problems
    return read


def changes(kafka: MessageSpec, converted: MessageSpec) -> list[LayoutChange]:
    """All changes of layouts, at every version of Kafka's definition, but records that become bytes."""
    wide = replace(converted, valid_versions=kafka.valid_versions)
    found: list[LayoutChange] = []
    for version in kafka.valid_versions:
        layout = resolve(kafka, version)
        records = {path for path, _, field in layout.walk() if field.type is ScalarType.RECORDS}
        every = compare_layouts(layout, resolve(wide, version))
        found += [each for each in every if each.what != "type" or each.path not in records]
    return found


def defaults(notes: list[ConversionNote], message: str) -> dict[str, str]:
    """The fields whose defaults change, with the notes; one of a named struct begins with its name."""
    return {
        each.path: each.text for each in notes if each.level is NoteLevel.DEFAULT and each.message == message
    }


def assert_converted(kafka: MessageSpec, read: KrammarDefinitions, notes: list[ConversionNote]) -> None:
    """The definition that comes back has the layouts of the first, but for the defaults in the notes."""
    converted, notes_back = to_message(read.struct(kafka.name), read)
    assert converted is not None, notes_back
    found = changes(kafka, converted)
    assert {each.what for each in found} <= {"default"}, found
    # A default that krammar has and Kafka's generator refuses becomes empty, which it was in most cases.
    restored = {each.removeprefix(kafka.name) for each in defaults(notes_back, kafka.name)}
    expected = {
        path
        for path, text in defaults(notes, kafka.name).items()
        if path not in restored or not text.startswith("the default empty")
    }
    shared = {path.rpartition(".")[2] for path in expected if path[:1].isupper()}
    seen = {each.path for each in found}
    assert {path for path in seen if path.rpartition(".")[2] not in shared} == {
        path for path in expected if path[:1].islower() and path.rpartition(".")[2] not in shared
    }
    assert shared <= {path.rpartition(".")[2] for path in seen}


@cache
def release(version: str) -> SchemaSet:
    return load_snapshot(table().find(version))


@pytest.mark.parametrize("version", [each.version for each in table()])
def test_every_released_message_is_converted_or_refused(version: str) -> None:
    """A message that is not refused has the same layouts after there and back; a refusal has a reason."""
    specs = {spec.name: spec for _, spec in release(version)}
    definitions, notes = from_messages(specs.values())
    refused = {each.message for each in notes if each.level is NoteLevel.REFUSED}
    converted = {each.name for each in definitions.structs if each.role is not StructRole.PLAIN}
    assert refused | converted == set(specs)
    assert not refused & converted
    assert len(converted) > 5 * len(refused)
    one_way = {each.message for each in notes if each.level is NoteLevel.ONE_WAY}
    read = reread(definitions)
    for name in sorted(converted - one_way):
        assert_converted(specs[name], read, notes)


def test_every_message_of_the_newest_release_has_equal_bytes_after_there_and_back_or_a_note() -> None:
    """At every version, with all fields set and with all at their defaults. Five messages lose `version`."""
    specs = {spec.name: spec for _, spec in release("4.4.0")}
    definitions, notes = from_messages(specs.values())
    read = reread(definitions)
    other: set[str] = set()
    for struct in read.structs:
        if struct.role is StructRole.PLAIN:
            continue
        converted, _ = to_message(struct, read)
        assert converted is not None
        other |= {struct.name for pair in both_encodings(specs[struct.name], converted) if pair[0] != pair[1]}
    assert other == {each.message for each in notes if each.level is NoteLevel.ONE_WAY}
    assert len(other) == 5


def both_encodings(kafka: MessageSpec, converted: MessageSpec) -> Iterator[tuple[bytes, bytes]]:
    """Yield the bytes of the same complete values by both definitions, at every version of Kafka's."""
    wide = replace(converted, valid_versions=kafka.valid_versions)
    for version in kafka.valid_versions:
        layout = resolve(kafka, version)
        first, second = interpret_layout(layout), interpret_layout(resolve(wide, version))
        for value in (full(layout.root, unknown_tags=False), at_defaults(layout.root)):
            written = first.encode(value)
            yield written, encoded_or_empty(second, first.decode(written))


def encoded_or_empty(codec: MessageCodec, value: StructValue) -> bytes:
    """Return the bytes of a value; none if it has a field that the codec does not know."""
    try:
        return codec.encode(value)
    except EncodeError:
        return b""


def test_the_newest_release_has_these_messages_that_krammar_cannot_express() -> None:
    """By reason: a later tag is the most frequent one."""
    _, notes = from_messages([spec for _, spec in release("4.4.0")])
    reasons = Counter(each.text.split(" ")[1] for each in notes if each.level is NoteLevel.REFUSED)
    assert reasons == {"tag": 19, "request": 7, "message": 4, "default": 3, "is": 1, "tagged": 1, "none": 1}


OUTCOMES: Counter[str] = Counter()


@settings(max_examples=200)
@given(schemas())
def _drawn_schemas_keep_their_layouts(text: str) -> None:
    spec, _ = read_message(text, "Drawn.json")
    assume(spec is not None)  # other tests are about what is read
    assert spec is not None
    if spec.kind is MessageKind.RESPONSE:
        spec = replace(spec, kind=MessageKind.REQUEST)
    definitions, notes = from_messages([spec])
    refused = any(each.level is NoteLevel.REFUSED for each in notes)
    OUTCOMES["refused" if refused else "converted"] += 1
    assert refused == (not definitions.structs)
    if not refused and all(each.level is not NoteLevel.ONE_WAY for each in notes):
        assert_converted(spec, reread(definitions), notes)


def test_drawn_schemas_keep_their_layouts() -> None:
    """Random definitions, from Kafka's language to krammar and back; many can be expressed."""
    OUTCOMES.clear()
    _drawn_schemas_keep_their_layouts()
    assert OUTCOMES["converted"] > 40, OUTCOMES
    assert OUTCOMES["refused"], OUTCOMES


@pytest.mark.parametrize("version", ["4.4.0", "3.9.2", "2.8.2"])
def test_a_written_message_is_read_as_the_same_definition(version: str) -> None:
    """Lines and sources apart."""
    for _, spec in release(version):
        bare = replace(spec, header_versions=())
        read, _ = read_message(write_message(spec), "Written.json")
        assert read is not None
        assert replace(read, source="", fields=_bare(read.fields), common_structs=()) == replace(
            bare, source="", fields=_bare(bare.fields), common_structs=()
        )
        assert [_bare(each.fields) for each in read.common_structs] == [
            _bare(each.fields) for each in bare.common_structs
        ]


def _bare(fields: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    return tuple(replace(each, line=0, fields=_bare(each.fields)) for each in fields)
