"""Each known Kafka bug exists on the named jars, and is gone where it was fixed. A row that is not true must
be removed.

A probe asks a release for the bug itself and returns true if it is there.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.embedded.hand_written import hand_written_specs
from kafkawire.records import Compression
from kafkawire.records.compression._snappy import HEADER as SNAPPY_HEADER
from kafkawire.schema import MessageKind, MessageLayout, ScalarType, resolve
from kafkawire.values import TAGS
from tests.support.hostile.hostile_records import batch
from tests.support.oracles.kafka_classes import accepted, kafka, refused
from wireproof.model.cell import EMBEDDED_MODULE, Cell
from wireproof.model.embedding import Framing, OracleBlob, framing_of, kafka_forms
from wireproof.model.oracle import EqualityBreach, OracleValue, Refusal
from wireproof.proof.checks.known_defects.kafka_bugs import (
    KAFKA_BUGS,
    BugArea,
    KafkaBug,
    breach_bug,
    refusal_bug,
    schema_bug,
    version_bug,
)
from wireproof.proof.strategies.values.whole_instances import full

OLDEST, NEWEST = "2.8.2", "4.4.0"
NEWEST_CONNECT = "4.3.1"
"""The newest release whose jars have Connect's classes."""


# KAFKA-18199 and KAFKA-13277: sizes.

MEMBER = "ConsumerGroupMemberMetadataValue"
SIZES = [126, 127, 128, 16382, 16383, 16384]


def value_with(layout: MessageLayout, struct_bytes: int) -> dict[str, Any]:
    """Return a value whose tagged nullable struct takes so many bytes, without its marker."""
    (field,) = [field for field in layout.root.tagged if field.nullable and field.struct is not None]
    assert field.struct is not None
    codec = interpret_layout(MessageLayout(field.name, MessageKind.DATA, None, 0, field.struct))
    for length in range(struct_bytes - 16, struct_bytes):
        inner = {"supportedProtocols": [{"name": "", "metadata": bytes(length)}]}
        if codec.size(inner) == struct_bytes:
            return {field.name: inner}
    raise AssertionError(struct_bytes)


def tagged_struct_of_127_bytes(release: str) -> bool:
    layout = kafka(release).cell(MEMBER, 0)[1]
    return not_written(release, MEMBER, 0, value_with(layout, 127))


def tagged_string_of_127_bytes(release: str) -> bool:
    return not_written(release, "FetchRequest", 12, {"clusterId": "x" * 127})


def not_written(release: str, message: str, version: int, value: dict[str, Any]) -> bool:
    """Return true if the class exceeds the space that it calculated itself."""
    reply = kafka(release).write(message, version, value)
    if isinstance(reply, Refusal):
        assert (reply.stage, reply.error) == ("write", "BufferOverflowException")
        return True
    assert reply.written == interpret_layout(kafka(release).cell(message, version)[1]).encode(value)
    return False


def leader_change_of_257_bytes(release: str) -> bool:
    """Return true if a batch of more than 256 bytes is lost, and one of 256 is not."""
    cell, layout = kafka(release).cell("LeaderChangeMessage", 0)
    voters = next(count for count in range(64) if body_bytes(layout, count) > 182)
    assert release != OLDEST or body_bytes(layout, voters - 1) == 182
    values = [canonical(layout).to_binary({"voters": [{}] * count}) for count in (voters - 1, voters)]
    fits, beyond = kafka(release).oracle.write_blobs(cell, layout, "control-record", values)
    assert isinstance(fits, OracleBlob)
    if isinstance(beyond, Refusal):
        value: dict[str, Any] = {"voters": [{}] * voters}
        assert refusal_bug(release, layout, value, beyond) is the("LEADER-CHANGE-ABOVE-256")
        assert refusal_bug(release, layout, {"voters": [{}] * (voters - 1)}, beyond) is None
    return isinstance(beyond, Refusal)


def body_bytes(layout: MessageLayout, voters: int) -> int:
    return interpret_layout(layout).size({"voters": [{}] * voters})


# SCHEMAS.


def schemas_misread_nullable_structs(release: str) -> bool:
    return schemas_differ(release, "ConsumerGroupHeartbeatResponse", 0, {"assignment": {}})


def schemas_misread_null_tagged_structs(release: str) -> bool:
    return schemas_differ(release, MEMBER, 0, {"classicMemberMetadata": None})


def schemas_differ(release: str, message: str, version: int, value: dict[str, Any]) -> bool:
    """Return true if `SCHEMAS` refuse the bytes that the class wrote, or read another value from them."""
    first = accepted(kafka(release).write(message, version, value))
    cell, layout = kafka(release).cell(message, version)
    (second,) = kafka(release).oracle.second_reread(cell, layout, [first.written])
    return second != first


# Equality.

QUOTAS = "DescribeClientQuotasResponse"
QUOTA_PATH = "entries[].values[].value"


def breaches(release: str, message: str, version: int, value: dict[str, Any]) -> list[EqualityBreach]:
    cell, layout = kafka(release).cell(message, version)
    return kafka(release).oracle.equality(cell, layout, canonical(layout).to_binary(value))


def quota_breaches(release: str) -> list[EqualityBreach]:
    return breaches(release, QUOTAS, 0, {"entries": [{"values": [{"key": "rate", "value": 1.5}]}]})


def nan_differs(release: str) -> bool:
    return EqualityBreach(QUOTA_PATH, "nan-differs") in quota_breaches(release)


def zeros_are_equal(release: str) -> bool:
    return {EqualityBreach(QUOTA_PATH, "zeros-equal"), EqualityBreach(QUOTA_PATH, "zeros-hash")} <= {
        *quota_breaches(release)
    }


def duplicates_lose_tags(release: str) -> bool:
    assert breaches(release, "ApiVersionsRequest", 3, {}) == []
    return breaches(release, "ApiVersionsRequest", 3, {TAGS: {9: b"x"}}) == [
        EqualityBreach("", "duplicate-differs")
    ]


# Versions and values.


def version_unchecked(release: str) -> bool:
    cell, _ = kafka(release).cell("ApiVersionsRequest", 0)
    answers = [kafka(release).oracle.bounds(cell, version) for version in (-1, 99)]
    assert {answer.request for answer in answers} == {"UnsupportedVersionException"}
    assert not any(answer.described for answer in answers)
    return {answer.write for answer in answers} == {"taken"}


def defined_tag_is_written(release: str) -> bool:
    """Set unknown tag 0 in a Fetch request, where 0 is the tag of the cluster id."""
    cell, layout = kafka(release).cell("FetchRequest", 12)
    blind = replace(layout, root=replace(layout.root, tagged=(), absent=()))
    binary = canonical(blind).to_binary({TAGS: {0: b"\x02a"}})
    (reply,) = kafka(release).oracle.write(cell, blind, [binary])
    if isinstance(reply, Refusal):
        return False
    read = interpret_layout(layout).decode(reply.written)
    return read["clusterId"] == "a" and TAGS not in read


def fresh_records_are_not_written(release: str) -> bool:
    reply = kafka(release).write("FetchSnapshotResponse", 0, {"topics": [{"partitions": [{}]}]})
    return isinstance(reply, Refusal) and reply.error == "NullPointerException"


# Reading.


def allocates_what_a_frame_declares(release: str) -> bool:
    """Read an array, bytes and an unknown tag of 2 GiB, with no data after the length."""
    frames = [
        ("MetadataRequest", 1, "7fffffff"),
        ("SaslAuthenticateRequest", 0, "7fffffff"),
        ("ApiVersionsRequest", 3, "01 01 01 05 ffffffff07"),
    ]
    replies = [refused(kafka(release).reread(*frame)) for frame in frames]
    assert {reply.stage for reply in replies} == {"read"}
    return {reply.error for reply in replies} == {"OutOfMemoryError"}


def allocates_what_a_snappy_block_declares(release: str) -> bool:
    """Read a batch whose snappy stream has one block of 7 bytes, which declares 2 GiB less a byte."""
    stream = SNAPPY_HEADER + bytes.fromhex("00000007 ffffffff07 0061")
    (reply,) = kafka(release).oracle.read_records([batch(stream, 1, Compression.SNAPPY)])
    return refused(reply).error == "OutOfMemoryError"


# JSON.


def json(release: str, message: str, version: int, value: dict[str, Any]) -> tuple[str, Any]:
    """Return the text and the value that was read back, or None if the text is not read."""
    cell, layout = kafka(release).cell(message, version)
    form = canonical(layout)
    (reply,) = kafka(release).oracle.json(cell, layout, [form.to_binary(value)])
    if isinstance(reply, Refusal):
        assert reply.stage == "read", reply
        return "", None
    return reply.written.decode(), form.from_binary(reply.value)


def json_bytes_are_not_read(release: str) -> bool:
    _, back = json(release, "SaslAuthenticateRequest", 0, {"authBytes": b"abc"})
    assert back is None or back == {"authBytes": b"abc"}
    return back is None


def json_loses_records(release: str) -> bool:
    """Write three bytes in the records of a snapshot."""
    value = {"topics": [{"partitions": [{"unalignedRecords": b"abc"}]}]}
    cell, layout = kafka(release).cell("FetchSnapshotResponse", 0)
    (reply,) = kafka(release).oracle.json(cell, layout, [canonical(layout).to_binary(value)])
    if isinstance(reply, Refusal):  # KAFKA-14794: not even the empty text is read
        assert "expected Base64" in reply.message
        return the("KAFKA-14794").concerns(release)
    return b'"unalignedRecords":""' in reply.written and b"abc" not in reply.value


def json_loses_tags(release: str) -> bool:
    _, back = json(release, "ApiVersionsRequest", 3, {"clientSoftwareName": "a", TAGS: {9: b"x"}})
    return back is not None and back["clientSoftwareName"] == "a" and TAGS not in back


def json_does_not_read_nan(release: str) -> bool:
    def back(number: float) -> Any:
        return json(release, QUOTAS, 0, {"entries": [{"values": [{"key": "rate", "value": number}]}]})[1]

    assert back(1.5)["entries"][0]["values"][0]["value"] == 1.5
    return all(back(number) is None for number in (math.nan, math.inf, -math.inf))


def read_json(release: str, message: str, version: int, text: bytes) -> Any:
    cell, layout = kafka(release).cell(message, version)
    (reply,) = kafka(release).oracle.read_json(cell, layout, [text])
    return reply


def json_wraps_int8(release: str) -> bool:
    def key_type(number: int) -> int | None:
        text = b'{"key":"","keyType":%d}' % number
        reply = read_json(release, "FindCoordinatorRequest", 1, text)
        return None if isinstance(reply, Refusal) else struct.unpack(">b", reply.value[-1:])[0]

    assert (key_type(127), key_type(257)) == (127, None)
    return (key_type(200), key_type(256)) == (72, -128)


def json_sets_absent_fields(release: str) -> bool:
    reply = read_json(release, "MetadataRequest", 1, b'{"topics":null,"allowAutoTopicCreation":false}')
    return isinstance(reply, OracleValue) and reply.absent_set == ("allowAutoTopicCreation",)


# Protocols without a schema file: what Kafka's own class writes of the schema's bytes.


def rewritten(release: str, message: str, version: int, form: str, value: dict[str, Any]) -> tuple[str, str]:
    """Return the bytes of the schema, and those that the class writes of what it read in them."""
    cell = Cell(release, EMBEDDED_MODULE, message, version)
    layout = resolve(hand_written_specs()[message], version)
    oracle, schema = kafka(release).oracle, kafka_forms(framing_of(cell, layout) or Framing.STICKY, cell)[0]
    (made,) = oracle.write_blobs(cell, layout, schema, [canonical(layout).to_binary(value)])
    assert isinstance(made, OracleBlob), made
    (again,) = oracle.read_blobs(cell, layout, form, [made.blob])
    assert isinstance(again, OracleBlob), again
    return made.blob.data.hex(), again.blob.data.hex()


def sticky_user_data_changes(release: str) -> bool:
    def written(version: int, **value: Any) -> tuple[str, str]:
        return rewritten(release, "StickyAssignorUserData", version, "sticky", value)

    lonely = written(1, previousAssignment=[{"topic": "t", "partitions": []}], generation=7)
    assert lonely == ("00000001" + "000174" + "00000000" + "00000007", "00000000" + "00000007")
    return written(0) == ("00000000", "00000000" + "ffffffff")


def null_assignment_becomes_empty(release: str) -> bool:
    value = {"assignment": None, "revoked": [{"connector": "c", "tasks": []}]}
    made, again = rewritten(release, "ConnectAssignment", 1, "connect-assignment", value)
    head = "0001" + "0000" * 3 + "00" * 8
    return (made, again) == (
        head + "ffffffff" + "00000001" + "000163" + "00000000" * 2,
        head + "00000000" * 3,
    )


def version_2_becomes_1(release: str) -> bool:
    made, again = rewritten(release, "ConnectAssignment", 2, "connect-assignment", {})
    assert made[:4] == "0002"
    assert again[4:] == made[4:]
    return again[:4] == "0001"


PROBES: dict[str, tuple[Callable[[str], bool], list[str], str | None]] = {
    "KAFKA-18199": (tagged_struct_of_127_bytes, ["3.8.1", "3.9.0"], "3.9.2"),
    "LEADER-CHANGE-ABOVE-256": (leader_change_of_257_bytes, [OLDEST], "3.0.2"),
    "KAFKA-13277": (tagged_string_of_127_bytes, ["2.8.0"], "2.8.2"),
    "STICKY-CLASS": (sticky_user_data_changes, [OLDEST, NEWEST], None),
    "CONNECT-CLASS": (null_assignment_becomes_empty, [OLDEST, NEWEST_CONNECT], None),
    "CONNECT-VERSION-2": (version_2_becomes_1, [OLDEST, "3.2.3"], "3.3.2"),
    "KAFKA-19634": (schemas_misread_nullable_structs, ["3.5.2", "4.2.2"], "4.3.1"),
    "SCHEMAS-TAGGED-NULL": (schemas_misread_null_tagged_structs, ["4.3.1", NEWEST], None),
    "EQUALS-NAN": (nan_differs, [OLDEST, NEWEST], None),
    "EQUALS-ZERO": (zeros_are_equal, [OLDEST, NEWEST], None),
    "DUPLICATE-TAGS": (duplicates_lose_tags, [OLDEST, NEWEST], None),
    "VERSION-UNCHECKED": (version_unchecked, [OLDEST, NEWEST], None),
    "TAG-DEFINED": (defined_tag_is_written, [OLDEST, NEWEST], None),
    "RECORDS-DEFAULT": (fresh_records_are_not_written, [OLDEST, NEWEST], None),
    "CVE-2022-34917": (allocates_what_a_frame_declares, ["2.8.0", "3.2.1"], "3.2.3"),
    "SNAPPY-LENGTH": (allocates_what_a_snappy_block_declares, [OLDEST, NEWEST], None),
    "KAFKA-14794": (json_bytes_are_not_read, [OLDEST, "3.4.1"], "3.5.2"),
    "JSON-RECORDS": (json_loses_records, [OLDEST, NEWEST], None),
    "JSON-TAGS": (json_loses_tags, [OLDEST, NEWEST], None),
    "JSON-NAN": (json_does_not_read_nan, [OLDEST, NEWEST], None),
    "JSON-INT8": (json_wraps_int8, [OLDEST, NEWEST], None),
    "JSON-ABSENT": (json_sets_absent_fields, [OLDEST, NEWEST], None),
}
"""By witness: the probe, the first and the last available release with the bug, and one where it is fixed."""


def the(witness: str) -> KafkaBug:
    return next(bug for bug in KAFKA_BUGS if bug.witness == witness)


def test_every_entry_has_its_probe() -> None:
    """The known bugs are those that this file reproduces, each once."""
    assert sorted(bug.witness for bug in KAFKA_BUGS) == sorted(PROBES)


@pytest.mark.parametrize(
    ("witness", "release"), [(witness, release) for witness, (_, has, _) in PROBES.items() for release in has]
)
def test_a_known_bug_exists(witness: str, release: str) -> None:
    """The bug shows on the first and on the last release that have it."""
    probe, _, _ = PROBES[witness]
    assert the(witness).concerns(release)
    assert probe(release)


@pytest.mark.parametrize(
    ("witness", "release"), [(witness, fixed) for witness, (_, _, fixed) in PROBES.items() if fixed]
)
def test_a_known_bug_is_gone_where_it_was_fixed(witness: str, release: str) -> None:
    """The first available release after the fix does not have it, and neither does the table."""
    probe, _, _ = PROBES[witness]
    assert not the(witness).concerns(release)
    assert not probe(release)


@pytest.mark.parametrize("bug", KAFKA_BUGS, ids=lambda bug: bug.witness)
def test_an_entry_without_a_fix_names_the_newest_release(bug: KafkaBug) -> None:
    """A bug without a fix shows on the newest jar; a fixed one shows on the jar in which it was seen."""
    _, has, fixed = PROBES[bug.witness]
    assert bug.seen_in in has
    newest = NEWEST_CONNECT if bug.witness.startswith("CONNECT") else NEWEST
    assert (has[-1] == newest) == (fixed is None) == (bug.releases[-1][1] == "")


@pytest.mark.parametrize("struct_bytes", SIZES)
def test_kafka_18199_shows_at_two_sizes(struct_bytes: int) -> None:
    """3.8.1 cannot write a tagged nullable struct whose size prefix grows with the marker byte."""
    layout = kafka("3.8.1").cell(MEMBER, 0)[1]
    value = value_with(layout, struct_bytes)
    struck = struct_bytes in (127, 16383)
    assert not_written("3.8.1", MEMBER, 0, value) == struck
    refusal = Refusal("write", "BufferOverflowException", "", 0)
    assert (refusal_bug("3.8.1", layout, value, refusal) is not None) == struck
    assert not not_written("3.9.2", MEMBER, 0, value)


def test_a_known_bug_excuses_only_its_own_divergence() -> None:
    """Another release, exception, stage or value is not excused; without a value the layout decides."""
    _, layout = kafka("3.8.1").cell(MEMBER, 0)
    _, other_layout = kafka("3.8.1").cell("FetchRequest", 12)
    struck, other = value_with(layout, 127), value_with(layout, 126)
    refusal = Refusal("write", "BufferOverflowException", "", 0)
    assert refusal_bug("3.8.1", layout, struck, refusal) is not None
    assert refusal_bug("3.9.0", layout, struck, refusal) is not None
    assert refusal_bug("3.9.1", layout, struck, refusal) is None
    assert refusal_bug("3.8.1", layout, other, refusal) is None
    assert refusal_bug("3.8.1", layout, None, refusal) is not None
    assert refusal_bug("3.8.1", other_layout, None, refusal) is None
    assert refusal_bug("3.8.1", layout, struck, Refusal("size", "BufferOverflowException", "", 0)) is None
    assert refusal_bug("3.8.1", layout, struck, Refusal("write", "NullPointerException", "", 0)) is None


def test_a_known_bug_of_the_oracle_excuses_only_its_own_divergence() -> None:
    """Only what a layout or a value has is excused: a nullable struct, or a null that is written."""
    _, plain = kafka(NEWEST).cell("FetchRequest", 12)
    _, nullable = kafka(NEWEST).cell(MEMBER, 0)
    assert schema_bug("4.2.2", plain, {}) is None
    assert schema_bug("4.2.2", nullable, {}) is the("KAFKA-19634")
    assert schema_bug("4.3.1", nullable, {"classicMemberMetadata": {}}) is None
    assert schema_bug("4.3.1", nullable, {"classicMemberMetadata": None}) is the("SCHEMAS-TAGGED-NULL")
    assert breach_bug(NEWEST, EqualityBreach("name", "change-unseen")) is None
    assert breach_bug(NEWEST, EqualityBreach("name", "copies-differ")) is None
    assert breach_bug(NEWEST, EqualityBreach("value", "nan-differs")) is the("EQUALS-NAN")
    assert version_bug(NEWEST) is the("VERSION-UNCHECKED")


def test_a_run_excuses_bugs_of_four_areas() -> None:
    """The entries that a run may excuse concern writing, schemas, equality and versions."""
    met = {BugArea.WRITE, BugArea.SCHEMAS, BugArea.EQUALITY, BugArea.VERSIONS}
    assert {bug.area for bug in KAFKA_BUGS} == met | {BugArea.VALUES, BugArea.READ, BugArea.JSON}


@pytest.mark.parametrize("release", [OLDEST, NEWEST])
def test_json_loses_only_values_in_the_table(release: str) -> None:
    """The fullest value of every message without records is read back from JSON unchanged."""
    lost = []
    for cell, layout in kafka(release).cells():
        if cell.module in ("core", "streams"):  # they have no converters
            continue
        lost += _lost_in_json(release, cell, layout)
    allowed = {"expected Base64-encoded binary data"} if the("KAFKA-14794").concerns(release) else set()
    assert {reason for _, reason in lost} <= allowed, lost[:5]


def _lost_in_json(release: str, cell: Cell, layout: MessageLayout) -> list[tuple[str, str]]:
    if any(field.scalar is ScalarType.RECORDS for _, _, field in layout.walk()):
        return []
    binary = canonical(layout).to_binary(full(layout.root, unknown_tags=False))
    (reply,) = kafka(release).oracle.json(cell, layout, [binary])
    if isinstance(reply, Refusal):
        return [(cell.id, reply.message.partition(": ")[2].rstrip("."))]
    return [] if reply.value == binary else [(cell.id, "another value")]
