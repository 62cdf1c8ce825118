"""Messages in other data: labels and bodies as bytes, and the refusals."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.compiler import compile_layout
from kafkawire.embedded.control_record import CONTROL_MESSAGES, ControlRecordCodec
from kafkawire.embedded.hand_written import hand_written_specs
from kafkawire.embedded.label import BlobCodec, Label
from kafkawire.embedded.prefixes import TypePrefixed, Unlabelled, VersionPrefixed
from kafkawire.embedded.record_frame import PREVIEW_FRAME, RecordFramed
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.records import control_key
from kafkawire.schema import resolve
from tests.support.schemas.real_layouts import real

SUBSCRIPTION = {Label(v): compile_layout(real("ConsumerProtocolSubscription", v)) for v in range(4)}
PRINCIPAL = {Label(0): compile_layout(real("DefaultPrincipalData", 0))}
KEYS = {
    Label(real(name, 0).version, real(name, 0).api_key): compile_layout(real(name, 0))
    for name in ("GroupMetadataKey", "OffsetCommitKey")
}
RECORDS = {
    Label(v, real(name, v).api_key): compile_layout(real(name, v))
    for name, versions in {"PartitionRecord": (0, 1, 2), "NoOpRecord": (0,)}.items()
    for v in versions
}
CONTROL = {int(kind): compile_layout(real(name, 0)) for name, kind in CONTROL_MESSAGES.items()}
STICKY = {
    Label(v): compile_layout(resolve(hand_written_specs()["StickyAssignorUserData"], v)) for v in (0, 1)
}

VERSIONED = VersionPrefixed(SUBSCRIPTION, tolerant=True)
STRICT = VersionPrefixed(PRINCIPAL)
TYPED = TypePrefixed(KEYS)
FRAMED = RecordFramed(RECORDS)
BARE = Unlabelled(STICKY)


def refused(decode: Callable[[bytes], Any], data: str) -> tuple[Fault, int | None]:
    with pytest.raises(DecodeError) as caught:
        decode(bytes.fromhex(data))
    return caught.value.fault, caught.value.offset


@pytest.mark.parametrize(
    ("codec", "label", "value", "data"),
    [
        (VERSIONED, Label(1), {"topics": ["t"]}, "0001 00000001 0001 74 ffffffff 00000000"),
        (STRICT, Label(0), {"type": "User", "name": "a"}, "0000 05 55736572 02 61 00 00"),
        (TYPED, Label(0, 2), {"group": "g"}, "0002 0001 67"),
        (FRAMED, Label(0, 20), {}, "01 14 00 00"),
        (RecordFramed(RECORDS, frame_version=PREVIEW_FRAME), Label(0, 20), {}, "00 14 00 00"),
        (BARE, Label(0), {"previousAssignment": []}, "00000000"),
        (BARE, Label(1), {"previousAssignment": [], "generation": 7}, "00000000 00000007"),
    ],
)
def test_label_and_body_are_bytes(codec: BlobCodec, label: Label, value: dict[str, Any], data: str) -> None:
    """The label is before the body, and both are read back; the size is that of both."""
    blob = bytes.fromhex(data)
    assert codec.encode(label, value) == blob
    assert codec.size(label, value) == len(blob)
    found, read = codec.decode(blob)
    assert found == label
    assert codec.encode(found, read) == blob


@pytest.mark.parametrize(
    ("codec", "data", "fault", "offset"),
    [
        (VERSIONED, "00", Fault.TRUNCATED, 0),
        (VERSIONED, "ffff 00000000 ffffffff", Fault.LABEL, 0),
        (VERSIONED, "0000 00000000 ffffffff 07", Fault.TRAILING, 10),
        (STRICT, "0001 05 55736572 02 61 00 00", Fault.LABEL, 0),
        (TYPED, "0007 0001 67", Fault.LABEL, 0),
        (TYPED, "0002 0001 67 00", Fault.TRAILING, 5),
        (FRAMED, "00 14 00 00", Fault.LABEL, 0),
        (FRAMED, "01 15 00 00", Fault.LABEL, 1),
        (FRAMED, "01 14 01 00", Fault.LABEL, 1),
        (FRAMED, "01 14 00 00 00", Fault.TRAILING, 4),
        (FRAMED, "01 94", Fault.TRUNCATED, 1),
        (FRAMED, "01 808004 00 00", Fault.LABEL, 1),
        (BARE, "00000000 00", Fault.TRUNCATED, 4),
    ],
)
def test_invalid_bytes_are_refused_at_their_place(
    codec: BlobCodec, data: str, fault: Fault, offset: int
) -> None:
    """An unknown label, an invalid body and extra bytes are refused at their place."""
    assert refused(codec.decode, data) == (fault, offset)


def test_newer_versions_are_read_as_the_newest_where_kafka_does() -> None:
    """A version above the newest begins with the newest's fields, and the bytes after them are skipped."""
    body = SUBSCRIPTION[Label(3)].encode({"topics": ["t"], "generationId": 5})
    label, value = VERSIONED.decode(b"\x00\x09" + body + b"\x01\x02")
    assert (label, value["generationId"]) == (Label(3), 5)


@pytest.mark.parametrize("codec", [VERSIONED, STRICT, TYPED, FRAMED, BARE])
def test_an_unknown_label_is_not_written(codec: BlobCodec) -> None:
    """An unknown message is refused before a byte is written or counted."""
    for ask in (codec.encode, codec.size):
        with pytest.raises(EncodeError) as caught:
            ask(Label(77, 77), {})
        assert caught.value.fault is Fault.LABEL


def test_a_control_record_has_its_type_in_its_key() -> None:
    """Both are read; newer versions and extra bytes of the key are skipped, as Kafka does."""
    codec = ControlRecordCodec(CONTROL)
    key, value = codec.encode(3, {"version": 0, "lastContainedLogTimestamp": 9})
    assert (key.hex(), value.hex()) == ("00000003", "0000000000000000000900")
    read = {"version": 0, "lastContainedLogTimestamp": 9}
    assert codec.decode(key, value) == (3, read)
    assert codec.decode(bytes.fromhex("000100030707"), value) == (3, read)


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        (None, Fault.NULL),
        (b"\x00\x00\x00", Fault.TRUNCATED),
        (control_key(1), Fault.LABEL),
        (control_key(99), Fault.LABEL),
        (b"\xff\xff\x00\x03", Fault.LENGTH),
    ],
)
def test_a_control_key_may_name_no_message(key: bytes | None, fault: Fault) -> None:
    """Markers of transactions have no message, and a key may be invalid."""
    with pytest.raises(DecodeError) as caught:
        ControlRecordCodec(CONTROL).decode(key, b"")
    assert caught.value.fault is fault


def test_a_control_type_without_a_message_is_not_written() -> None:
    """COMMIT is a marker."""
    with pytest.raises(EncodeError, match="no control message of type 1"):
        ControlRecordCodec(CONTROL).encode(1, {})


@pytest.mark.parametrize("codec", [VERSIONED, STRICT, TYPED, FRAMED, BARE])
@given(data=st.binary(max_size=40), known=st.sampled_from(["", "0000", "0001", "0002", "011400", "010302"]))
def test_any_bytes_are_a_message_or_a_refusal(codec: BlobCodec, data: bytes, known: str) -> None:
    """The only exception is a DecodeError; a message that was read is written and read again unchanged."""
    try:
        label, value = codec.decode(bytes.fromhex(known) + data)
    except DecodeError:
        return
    assert codec.decode(codec.encode(label, value)) == (label, value)
