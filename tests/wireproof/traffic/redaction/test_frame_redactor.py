"""Redaction of frames: no planted secret is left, each frame stays readable, and equal names stay equal."""

import re
import string
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kafkawire.records import (
    Compression,
    ControlType,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    control_key,
    decode_records,
    encode_records,
)
from kafkawire.schema import FieldLayout, MessageKind, ScalarType, StructLayout, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.redaction.frame_redactor import (
    FrameRedactor,
    QuarantinedData,
    RedactedFrame,
    redact_records,
)
from wireproof.traffic.redaction.pseudonymizer import (
    PUBLIC_FIELDS,
    PUBLIC_WORDS,
    Pseudonymizer,
    is_public_field,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.inner_messages import InnerMessageReader

RELEASES = ("4.3.1", "3.9.2", "2.8.2")
SECRET = "sEcRet"
PLANTED_ID = UUID(bytes=b"sEcRetsEcRetsEcR")


def redaction(naming: FrameIdentifier) -> FrameRedactor:
    return FrameRedactor(naming, logs_of(naming.release), Pseudonymizer(b"key"))


@cache
def logs_of(release: str) -> InnerMessageReader:
    return InnerMessageReader(load_snapshot(table().find(release)))


class Planter:
    """Builder of a value of a layout in which each text, bytes, id and record holds the secret.

    Attributes:
        paths: the fields with the secret, as redaction writes them.
    """

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def struct(self, layout: StructLayout, prefix: str) -> dict[str, Any]:
        value = {
            field.name: self._field(field, f"{prefix}{field.name}")
            for field in layout.all_fields
            if field.scalar is None or field.scalar in _PLANTED
        }
        if layout.flexible:
            value["_tags"] = {9999: f"tag {SECRET}".encode()}
            self.paths.add(f"{prefix}_tags")
        return value

    def _field(self, field: FieldLayout, path: str) -> Any:
        if field.is_array:
            return [self._one(field, f"{path}[]") for _ in range(2)]
        return self._one(field, path)

    def _one(self, field: FieldLayout, path: str) -> Any:
        if field.struct is not None:
            return self.struct(field.struct, f"{path}.")
        assert field.scalar is not None
        self.paths.add(path)
        return _PLANTED[field.scalar]


RECORDS = encode_records(
    RecordSet(
        (
            RecordBatch.of(
                [
                    Record(0, 0, b"key " + SECRET.encode(), b"value " + SECRET.encode()),
                    Record(1, 0, None, None, (Header(f"header {SECRET}", SECRET.encode()),)),
                ]
            ),
        ),
        tail=bytes(8) + b"\0\0\0\x63\0\0\0\0\x02" + SECRET.encode(),
    )
)
_PLANTED: Mapping[ScalarType, Any] = {
    ScalarType.STRING: f"text {SECRET}",
    ScalarType.BYTES: f"bytes {SECRET}".encode(),
    ScalarType.UUID: PLANTED_ID,
    ScalarType.RECORDS: RECORDS,
}


def all_named(release: str) -> Iterator[tuple[FrameIdentifier, FrameType]]:
    """Yield every cell of a release that has a frame."""
    schemas = load_snapshot(table().find(release))
    naming = FrameIdentifier(schemas)
    for module, spec in schemas:
        if spec.kind in (MessageKind.REQUEST, MessageKind.RESPONSE) and spec.api_key is not None:
            for version in spec.valid_versions:
                yield naming, FrameType(module, resolve(spec, version))


@pytest.mark.parametrize("release", RELEASES)
def test_secrets_planted_in_every_field_of_every_message_are_gone(release: str) -> None:
    """For each message at each version no byte of the secret is in frame or values, except in public fields.
    Each planted field is counted, and the frame is read again as the value."""
    cells = 0
    for naming, named in all_named(release):
        planter = Planter()
        codec = naming.codec(named)
        header = planter.struct(codec.header.layout.root, "header.")
        body = planter.struct(codec.body.layout.root, "")
        frame = codec.encode(header, body)
        found = redaction(naming).redact(named, frame)
        assert isinstance(found, RedactedFrame), (named, found)
        public = {each for each in planter.paths if is_public_field(each)}
        assert set(found.replaced) == planter.paths - public
        assert leaks(found.header, "header.") | leaks(found.body, "") == public
        assert found.data.count(SECRET.encode()) == len(re.findall(SECRET, repr(found.body)))
        assert codec.decode(found.data) == (found.header, found.body)
        assert len(found.data) == len(frame)
        cells += 1
    assert cells > 150


def leaks(value: Any, path: str) -> set[str]:
    """Return the paths with the secret."""
    if isinstance(value, dict):
        return _below((each, f"{path}{name}") for name, each in value.items())
    if isinstance(value, list):
        return _below((each, f"{path}[]") for each in value)
    text = value.bytes if isinstance(value, UUID) else value
    held = text.encode() if isinstance(text, str) else text
    return {path} if isinstance(held, bytes) and SECRET.encode() in held else set()


def _below(values: Iterable[tuple[Any, str]]) -> set[str]:
    found: set[str] = set()
    for value, path in values:
        found |= leaks(value, f"{path}." if isinstance(value, dict) else path)
    return found


def text_frame(naming: FrameIdentifier, text: str) -> tuple[FrameType, bytes]:
    """Return a Metadata request about a topic."""
    named = naming.request(3, 8)
    assert isinstance(named, FrameType)
    header = {"requestApiKey": 3, "requestApiVersion": 8, "correlationId": 1, "clientId": text}
    return named, naming.codec(named).encode(header, {"topics": [{"name": text}]})


PREFIXES = ("User:", "Group:", "/")
"""Prefixes of texts that are not redacted."""


@pytest.fixture(scope="module")
def naming() -> FrameIdentifier:
    """Return the names of 4.3.1."""
    return FrameIdentifier(load_snapshot(table().find("4.3.1")))


def test_replaced_texts_are_counted_by_field(naming: FrameIdentifier) -> None:
    """Equal texts stay equal in header and body."""
    found = redaction(naming).redact(*text_frame(naming, "alice"))
    assert isinstance(found, RedactedFrame)
    assert found.replaced == {"header.clientId": 1, "topics[].name": 1}
    assert found.header["clientId"] == found.body["topics"][0]["name"] != "alice"


@given(st.lists(st.text(), unique=True, max_size=30))
@example(["/*", "//", "User:*", "/User:", "*/"])
def test_texts_keep_their_length(texts: list[str]) -> None:
    """The new text has as many bytes in UTF-8; it differs from the old text, and is the same each time."""
    redactor = Pseudonymizer(b"key")
    for text in texts:
        found = redactor.text(text)
        assert len(found.encode()) == len(text.encode())
        bare = text
        while bare.startswith(PREFIXES):
            bare = bare.removeprefix(next(each for each in PREFIXES if bare.startswith(each)))
        assert (found == text) == (bare in PUBLIC_WORDS or not bare)
        assert redactor.text(text) == found


_NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=1)


@given(st.lists(_NAMES, unique=True, max_size=60))
def test_different_names_stay_different(names: list[str]) -> None:
    """This includes short names, of which there are few."""
    redactor = Pseudonymizer(b"key")
    kept = [name for name in names if name not in PUBLIC_WORDS]
    assert len({redactor.text(name) for name in kept}) == len(kept)


def test_all_names_of_one_character_stay_different() -> None:
    """64 names become 64 other names, and none stays the same."""
    redactor = Pseudonymizer(b"key")
    every = string.ascii_letters + string.digits + "_-"
    found = [redactor.text(name) for name in every]
    assert sorted(found) == sorted(every)
    assert not any(one == other for one, other in zip(every, found, strict=True))


@given(st.permutations(["a", "b", "c", "t1", "t2", "alice", "10.0.0.7", "a-name-that-is-long"]))
def test_a_replacement_does_not_depend_on_earlier_names(names: list[str]) -> None:
    """Several processes may redact parts of one capture."""
    redactor = Pseudonymizer(b"key")
    assert {name: redactor.text(name) for name in names} == {
        name: Pseudonymizer(b"key").text(name) for name in names
    }


def test_a_user_has_one_name_as_a_principal_too() -> None:
    """The prefix before a name stays; Kafka's own words stay whole."""
    redactor = Pseudonymizer(b"key")
    alice = redactor.text("alice")
    assert redactor.text("User:alice") == f"User:{alice}"
    assert redactor.text("/10.0.0.7") == f"/{redactor.text('10.0.0.7')}"
    assert [redactor.text(word) for word in ("__consumer_offsets", "*", "SCRAM-SHA-256")] == [
        "__consumer_offsets",
        "*",
        "SCRAM-SHA-256",
    ]


def test_another_key_gives_other_names() -> None:
    """Without the key the original names cannot be found by trying."""
    assert Pseudonymizer(b"1").text("alice") != Pseudonymizer(b"2").text("alice")
    assert Pseudonymizer(b"1").data(b"alice") != Pseudonymizer(b"2").data(b"alice")


def test_ids_with_a_meaning_stay() -> None:
    """The empty id, the metadata topic and a lost directory stay; others are replaced."""
    redactor = Pseudonymizer(b"key")
    assert [redactor.id(UUID(int=number)) for number in (0, 1, 99)] == [UUID(int=each) for each in (0, 1, 99)]
    assert redactor.id(PLANTED_ID) != PLANTED_ID
    assert redactor.id(PLANTED_ID) == redactor.id(PLANTED_ID)


@pytest.mark.parametrize("compression", list(Compression))
def test_records_of_any_compression(compression: Compression) -> None:
    """Keys, values and headers are replaced by others of the same length; the rest stays; checksums are
    right."""
    records = [Record(each, each, b"%s %d" % (SECRET.encode(), each), None) for each in range(50)]
    records.append(Record(50, 3, None, SECRET.encode(), (Header(SECRET, None), Header("", SECRET.encode()))))
    batch = RecordBatch.of(records, compression=compression, producer_id=7, base_offset=12)
    found = decode_records(redact_records(encode_records((batch,)), Pseudonymizer(b"key")), strict=True)
    (got,) = found.batches
    assert isinstance(got, RecordBatch)
    assert SECRET not in repr(got)
    assert (got.compression, got.producer_id, got.base_offset) == (compression, 7, 12)
    assert [_shape(each) for each in got.records] == [_shape(each) for each in records]
    assert len({each.key for each in got.records}) == 51


def _shape(record: Record) -> tuple[Any, ...]:
    lengths = [None if data is None else len(data) for data in (record.key, record.value)]
    headers = [(len(each.key), None if each.value is None else len(each.value)) for each in record.headers]
    return record.offset_delta, record.timestamp_delta, *lengths, *headers


@pytest.mark.parametrize("compression", [Compression.NONE, Compression.GZIP, Compression.LZ4])
@pytest.mark.parametrize("magic", [0, 1])
def test_message_sets(magic: int, compression: Compression) -> None:
    """Messages of magic 0 and 1 are redacted, alone and compressed."""
    stamp = -1 if magic == 0 else 5
    message = Message(3, stamp, SECRET.encode(), f"value {SECRET}".encode(), magic)
    plain = compression is Compression.NONE
    batch = message if plain else MessageSet(compression, (message,), 3, stamp, magic)
    found = decode_records(redact_records(encode_records((batch,)), Pseudonymizer(b"key")), strict=True)
    assert SECRET not in repr(found)
    (got,) = found.batches
    inner = got.messages[0] if isinstance(got, MessageSet) else got
    assert isinstance(inner, Message)
    assert (inner.offset, inner.timestamp, inner.magic) == (3, stamp, magic)
    assert (len(inner.key or b""), len(inner.value or b"")) == (6, 12)


def test_control_records() -> None:
    """The marker of a transaction stays as it is; voters have addresses, which are replaced."""
    marker = Record(0, 0, control_key(ControlType.COMMIT), b"\0\0\0\0\0\x07")
    voters = Record(1, 0, control_key(ControlType.KRAFT_VOTERS), SECRET.encode())
    batch = RecordBatch.of([marker, voters], control=True)
    found = decode_records(redact_records(encode_records((batch,)), Pseudonymizer(b"key")), strict=True)
    (got,) = found.batches
    assert isinstance(got, RecordBatch)
    assert got.records[0] == marker
    assert got.records[1].key == voters.key
    assert got.records[1].value != voters.value


def produce(naming: FrameIdentifier, records: bytes) -> tuple[FrameType, bytes]:
    """Return a Produce request with these bytes as records."""
    named = naming.request(0, 9)
    assert isinstance(named, FrameType)
    header = {"requestApiKey": 0, "requestApiVersion": 9, "correlationId": 1, "clientId": None}
    partitions = [{"index": 0, "records": records}]
    body = {"acks": 1, "timeoutMs": 1, "topicData": [{"name": "t", "partitionData": partitions}]}
    return named, naming.codec(named).encode(header, body)


def test_records_that_cannot_be_read_are_quarantined(naming: FrameIdentifier) -> None:
    """With a wrong checksum the content is unknown, so no byte of it is written."""
    wrong = bytearray(RECORDS)
    wrong[70] ^= 1
    found = redaction(naming).redact(*produce(naming, bytes(wrong)))
    assert found == QuarantinedData("its records: crc-mismatch, batches[0].crc, byte 17")


def test_a_frame_that_is_not_written_back_equally_is_quarantined(naming: FrameIdentifier) -> None:
    """The place is reported: here a varint that is too long."""
    named, frame = produce(naming, RECORDS)
    content = frame[4:]
    assert content[10:11] == b"\0"  # the empty tag section of the header
    odd = content[:10] + b"\x80\0" + content[11:]
    found = redaction(naming).redact(named, len(odd).to_bytes(4) + odd)
    assert found == QuarantinedData("our codec writes it otherwise, from byte 3 on")


def test_a_frame_that_cannot_be_decoded_is_quarantined(naming: FrameIdentifier) -> None:
    """The frame is cut, as a response of another version is."""
    named, frame = text_frame(naming, SECRET)
    cut = frame[4:-1]
    found = redaction(naming).redact(named, len(cut).to_bytes(4) + cut)
    assert isinstance(found, QuarantinedData)
    assert found.reason.startswith("it cannot be decoded: ")
    assert SECRET not in found.reason


def test_every_public_field_is_a_field(naming: FrameIdentifier) -> None:
    """Each row of the table is a field of a message in this release."""
    paths = set()
    for _, spec in load_snapshot(table().find("4.3.1")):
        for version in spec.valid_versions:
            layout = resolve(spec, version)
            paths |= {f"{path}[]" if field.is_array else path for path, _, field in layout.walk()}
    for end in PUBLIC_FIELDS:
        assert any(path == end or path.endswith(f".{end}") for path in paths), end
