"""All definition files of franz-go: read, compared with Kafka's cell by cell, converted."""

from collections import Counter
from dataclasses import replace

import pytest

from kafkawire.records import ControlType, Message, Record, RecordBatch, control_key, encode_records
from kafkawire.schema import (
    FieldLayout,
    MessageLayout,
    MessageSpec,
    ScalarType,
    StructLayout,
    VersionRange,
    read_message,
    resolve,
    write_message,
)
from tests.support.schemas.enum_text import enum_text
from tests.support.schemas.franz_go_definitions import (
    franz_go_comparison,
    franz_go_definitions,
    franz_go_messages,
)
from wireproof.definitions.evolution.break_example import BreakExample, find_break
from wireproof.definitions.franz_go.cell_comparison import WITHOUT_COUNTERPART, PairedMessage
from wireproof.definitions.franz_go.disagreement_table import check_table
from wireproof.definitions.franz_go.layout_alignment import Aspect, layout_differences
from wireproof.definitions.krammar.conversion.field_conversion import NoteLevel
from wireproof.definitions.krammar.conversion.to_schema import to_message
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    KrammarScalar,
    LengthMinus,
    StructRole,
)
from wireproof.definitions.krammar.definition_printing import struct_text
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions

pytestmark = pytest.mark.languages("go")


def test_every_file_is_read() -> None:
    """No line has a problem."""
    definitions = franz_go_definitions()
    assert Counter(each.role for each in definitions.structs) == {
        StructRole.REQUEST: 95,
        StructRole.RESPONSE: 95,
        StructRole.PLAIN: 20,
        StructRole.VERSIONED: 14,
    }
    assert len(definitions.enums) == 11
    assert len({each.source for each in definitions.structs}) == 96


def test_the_table_explains_every_disagreement() -> None:
    """The counts are those of the guide; each row shows."""
    comparison = franz_go_comparison()
    assert (len(comparison.compared), comparison.equal_bytes, comparison.equal) == (771, 748, 502)
    assert comparison.krammar_only == ()
    assert comparison.kafka_only == ("InitProducerIdRequest/6", "InitProducerIdResponse/6")
    assert set(comparison.without_counterpart) == set(WITHOUT_COUNTERPART)
    assert len(comparison.notes) == 6
    check = check_table(comparison)
    assert not check.unexplained
    assert not check.gone
    assert check.by_rule == {"nullable-default": 100}
    assert Counter(row.aspect.of_bytes for row in {row for _, row in check.explained}) == {
        True: 18,
        False: 11,
    }


def test_every_definition_is_printed_and_read_again() -> None:
    """Nothing is lost but comments and lines."""
    definitions = franz_go_definitions()
    texts = {"enums": enum_text(definitions.enums), "all": struct_text(definitions.structs)}
    read, problems = read_definitions(texts)
    assert read is not None, problems
    for old, new in zip(definitions.structs, read.structs, strict=True):
        for version in range(1 + (old.max_version or 0)):
            one, other = (to_message(each, all_)[0] for each, all_ in ((old, definitions), (new, read)))
            assert (one is None) == (other is None)
            if one is not None and other is not None and version in one.valid_versions:
                assert resolve(one, version) == resolve(other, version)


def test_every_message_becomes_json_with_the_same_layouts() -> None:
    """Our front end of Kafka's language accepts it."""
    definitions = franz_go_definitions()
    refused = []
    for struct in definitions.structs:
        spec, notes = to_message(struct, definitions)
        assert (spec is None) == any(each.level is NoteLevel.REFUSED for each in notes)
        if spec is None:
            refused.append(struct.name)
            continue
        read, problems = read_message(write_message(spec), struct.name)
        assert read is not None, problems
        assert [resolve(read, version) for version in spec.valid_versions] == [
            resolve(spec, version) for version in spec.valid_versions
        ]
    assert refused == ["Header", "RecordBatch"]


def without_records(struct: StructLayout) -> StructLayout:
    """Return the layout with bytes for records, which krammar has for them."""
    return replace(struct, fields=tuple(map(_plain, struct.fields)), tagged=tuple(map(_plain, struct.tagged)))


def _plain(field: FieldLayout) -> FieldLayout:
    if field.type is ScalarType.RECORDS:
        return replace(field, type=ScalarType.BYTES, default=None if field.nullable else b"")
    return field if field.struct is None else replace(field, struct=without_records(field.struct))


def layouts(pair: PairedMessage, kafka: MessageSpec, version: int) -> tuple[MessageLayout, MessageLayout]:
    spec = replace(pair.spec, valid_versions=VersionRange.ALL)
    layout = resolve(kafka, version)
    return resolve(spec, version), replace(layout, root=without_records(layout.root))


def with_names(struct: StructLayout, other: StructLayout) -> StructLayout:
    """Return a struct whose tagged fields have the names of the other's, which may be other words."""
    names = {field.tag: field.name for field in other.tagged}
    return replace(
        struct, tagged=tuple(replace(each, name=names.get(each.tag, each.name)) for each in struct.tagged)
    )


def breaks(pair: PairedMessage, kafka: MessageSpec, version: int) -> list[BreakExample]:
    """The messages that one of the two misreads."""
    krammar, other = layouts(pair, kafka, version)
    krammar = replace(krammar, root=with_names(krammar.root, other.root))
    found = find_break(krammar, other), find_break(other, krammar)
    return [each for each in found if each is not None]


def test_equal_bytes_are_read_alike() -> None:
    """At its newest version, no boundary case of a message is misread by the other layout.

    The comparison pairs fields by order and names; this test encodes and decodes a third of them.
    """
    seen = 0
    for pair in list(franz_go_messages().values())[::3]:
        _, kafka, version = next(
            cell
            for cell in reversed(pair.cells)
            if pair.struct.key is None or cell[2] in pair.spec.valid_versions
        )
        krammar, other = layouts(pair, kafka, version)
        if not any(each.aspect.of_bytes for each in layout_differences(krammar.root, other.root)):
            seen += 1
            assert breaks(pair, kafka, version) == [], (pair.struct.name, version)
    assert seen > 60


def test_each_disagreement_about_bytes_is_misread() -> None:
    """One layout misreads what the other writes. A tag that only Kafka has is kept as an unknown one."""
    kept = [
        (found.message, version, found.difference.aspect)
        for found in franz_go_comparison().disagreements
        if found.difference.aspect.of_bytes
        for version in found.versions
        if not _misread(found.struct, version)
    ]
    assert kept == [("UpdateMetadataRequest", 8, Aspect.FIELD)]


def _misread(struct: str, version: int) -> bool:
    pair = franz_go_messages()[struct]
    kafka = next(kafka for _, kafka, each in pair.cells if each == version)
    return bool(breaks(pair, kafka, version))


WIDTHS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8}


def walked(name: str, data: bytes) -> dict[str, int | bytes | None]:
    """Read bytes by a struct of integers and byte strings; none may be left."""
    values: dict[str, int | bytes | None] = {}
    position = 0

    def take(size: int) -> bytes:
        nonlocal position
        position += size
        assert position <= len(data)
        return data[position - size : position]

    for field in franz_go_definitions().struct(name).fields:
        if isinstance(field.type, LengthMinus):
            size = values[field.type.field]
            assert isinstance(size, int)
            values[field.name] = take(size - field.type.minus)
        elif field.type is KrammarScalar.NULLABLE_BYTES:
            length = int.from_bytes(take(4), signed=True)
            values[field.name] = None if length < 0 else take(length)
        else:
            values[field.name] = int.from_bytes(take(WIDTHS[str(field.type)]), signed=True)
    assert position == len(data)
    return values


def test_a_record_batch_has_krammars_fields() -> None:
    """Kafka has no definition of batches; our encoder, which is proven against its classes, writes one."""
    record = Record(offset_delta=3, value=b"v")
    batch = RecordBatch.of(
        [record], base_offset=5, partition_leader_epoch=6, base_timestamp=7, producer_id=8, producer_epoch=9,
        base_sequence=10, log_append_time=True,
    )  # fmt: skip
    values = walked("RecordBatch", encode_records([batch]))
    del values["CRC"], values["Length"], values["Records"]
    assert values == {
        "FirstOffset": 5,
        "PartitionLeaderEpoch": 6,
        "Magic": 2,
        "Attributes": 8,
        "LastOffsetDelta": 3,
        "FirstTimestamp": 7,
        "MaxTimestamp": 7,
        "ProducerID": 8,
        "ProducerEpoch": 9,
        "FirstSequence": 10,
        "NumRecords": 1,
    }


@pytest.mark.parametrize("magic", [0, 1])
def test_an_old_message_has_krammars_fields(magic: int) -> None:
    """A key that is null, and a value; magic 0 has no timestamp."""
    message = Message(offset=5, timestamp=7 if magic else -1, value=b"v", magic=magic)
    values = walked(f"MessageV{magic}", encode_records([message]))
    time = {"Timestamp": 7} if magic else {}
    del values["CRC"], values["MessageSize"]
    assert values == {"Offset": 5, "Magic": magic, "Attributes": 0, **time, "Key": None, "Value": b"v"}


def test_the_key_of_a_control_record_has_krammars_fields() -> None:
    """Its version, and its type: one of the names of the enum."""
    (version, kind) = franz_go_definitions().struct("ControlRecordKey").fields
    assert (version.type, kind.type) == (KrammarScalar.INT16, EnumReference("ControlRecordKeyType"))
    enum = franz_go_definitions().enum("ControlRecordKeyType")
    assert enum.type is KrammarScalar.INT16
    names = {number: name.replace("QUORUM_REASSIGNMENT", "LEADER_CHANGE") for number, name in enum.values}
    assert names == {each.value: each.name for each in ControlType if each.value in names}
    assert control_key(3) == bytes.fromhex("00000003")
