"""Judgement of record sets: each fault is reported once, at its field."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.records import (
    Compression,
    Header,
    Record,
    RecordBatch,
    RecordSet,
    compress,
    decode_records,
    encode_records,
    record_set_layout,
    to_canonical,
    to_value,
)
from wireproof.model.adapter import Decode, Decoded, Encode, Encoded, Refused, Request, Sized
from wireproof.model.oracle import OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.state.call_scripts import judge_step, record_script
from wireproof.proof.checks.values.record_set import RecordEvidence, judge_records

LAYOUT = record_set_layout(2)
BATCH = RecordBatch.of(
    [Record(0, 0, b"a", None), Record(1, 5, b"k", b"v", (Header("h", b"1"),))], base_timestamp=10
)


def evidence(records: RecordSet, **changes: Any) -> RecordEvidence:
    """Return the evidence of a right codec, with the changes."""
    data = encode_records(records)
    whole = data[: len(data) - len(records.tail)]
    made = OracleValue(whole, len(data), len(whole), to_canonical(records))
    right = RecordEvidence(
        layout=LAYOUT,
        subject="codec",
        records=records,
        expected=canonical(LAYOUT).to_binary(to_value(records)),
        view=to_canonical(records),
        data=data,
        encoded=Encoded(data),
        sized=Sized(len(data)),
        decoded=Decoded(to_value(records)),
        reread=made,
        made=((made, None),),
    )
    return replace(right, **changes)


def read_again(e: RecordEvidence) -> OracleValue:
    """Kafka's value for the codec's bytes."""
    assert isinstance(e.reread, OracleValue)
    return e.reread


def with_data(records: RecordSet, data: bytes) -> RecordEvidence:
    right = evidence(records)
    whole = len(data) - len(records.tail)
    reread = replace(read_again(right), consumed_bytes=whole, predicted_bytes=len(data))
    return replace(right, data=data, encoded=Encoded(data), sized=Sized(len(data)), reread=reread)


def data_bytes(request: Request) -> int:
    """The length of the bytes to read."""
    assert isinstance(request, Decode)
    return len(request.data)


def seen(e: RecordEvidence) -> list[tuple[str, str]]:
    return [(found.check, found.path) for found in judge_records(e)]


TWO = RecordSet((BATCH, BATCH))
VALUE = to_value(TWO)


def test_a_checksum_that_is_not_computed_is_reported_at_its_field() -> None:
    """The field is the checksum, whichever byte was changed."""
    script = record_script(LAYOUT, VALUE, encode_records(TWO))
    steps = [step for step in script if step.check == Check.CHECKSUM]
    found = [judge_step(LAYOUT, "codec", step, Decoded(VALUE)) for step in steps]
    assert {each.path for each in found if each} == {"batches[0].crc", "batches[1].crc"}


SET = RecordSet((BATCH,), b"cut")
OTHER = RecordSet(
    (replace(BATCH, records=(BATCH.records[0], BATCH.records[1]._replace(value=b"w"))),), b"cut"
)
PACKED = RecordSet((replace(BATCH, compression=Compression.SNAPPY),))


def test_a_right_codec_has_no_divergence() -> None:
    """A right codec has no divergence, compressed or not."""
    assert seen(evidence(SET)) == []
    assert seen(evidence(PACKED)) == []


@pytest.mark.parametrize(
    ("wrong", "finds"),
    [
        (evidence(SET, encoded=Refused("x", "y"), data=None, sized=None, decoded=None, reread=None),
         (Check.ENCODE, "")),
        (with_data(SET, encode_records(OTHER)), (Check.BYTES, "batches[0].records[1].value")),
        (with_data(SET, encode_records(SET)[:17] + b"\0" + encode_records(SET)[18:]),
         (Check.BYTES, "batches[0].crc")),
        (evidence(SET, sized=Sized(3)), (Check.SIZE, "")),
        (evidence(SET, decoded=Decoded(to_value(OTHER))), (Check.DECODE, "batches[0].records[1].value")),
        (evidence(SET, decoded=Refused("x", "y", "batches[0].count", 57)),
         (Check.DECODE, "batches[0].count")),
        (evidence(SET, decoded=Decoded({"batches": 3})), (Check.DECODE, "batches")),
        (evidence(SET, reread=Refusal("read", "X", "y", 0)), (Check.ORACLE_READS, "")),
        (evidence(SET, reread=replace(read_again(evidence(SET)), value=to_canonical(OTHER))),
         (Check.ORACLE_READS, "batches[0].records[1].value")),
        (evidence(SET, reread=replace(read_again(evidence(SET)), consumed_bytes=1)),
         (Check.ORACLE_READS, "")),
        (evidence(SET, made=((Refusal("build", "X", "y", 0), None),)), (Check.ENCODE, "")),
        (evidence(SET, made=((replace(read_again(evidence(SET)), value=to_canonical(OTHER)), None),)),
         (Check.CANONICAL, "batches[0].records[1].value")),
        (evidence(PACKED, made=((evidence(PACKED).reread, Decoded(to_value(SET))),)),
         (Check.DECODE, "batches[0].compression")),
        (evidence(SET, encoded=None, sized=None, made=(), decoded=Decoded(to_value(OTHER))),
         (Check.DECODE, "batches[0].records[1].value")),
    ],
)  # fmt: skip
def test_each_fault_is_reported(wrong: RecordEvidence, finds: tuple[str, str]) -> None:
    """The divergence has the check that fails first, and the field."""
    assert seen(wrong)[0] == finds


def test_compressed_bytes_may_differ_except_in_their_framing() -> None:
    """Different compressed bytes of the same content are right; a block without xerial's header is not."""

    def in_two(codec: Compression, data: bytes, magic: int) -> bytes:
        return compress(codec, data[:9], magic) + compress(codec, data[9:], magic)

    def raw(codec: Compression, data: bytes, magic: int) -> bytes:
        return compress(codec, data, magic)[20:]

    encode = partial(encode_records, PACKED)
    assert seen(with_data(PACKED, encode(compress=in_two))) == []
    assert seen(with_data(PACKED, encode(compress=raw))) == [(Check.FRAMING, "batches[0].records")]


def test_the_script_of_states() -> None:
    """A right codec passes each step. A codec that loses the tail, or accepts any checksum, fails."""
    for records in (RecordSet((BATCH, BATCH)), PACKED):
        data, value = encode_records(records), to_value(records)
        steps = list(record_script(LAYOUT, value, data))
        assert {step.check for step in steps} >= {Check.CUT_OFF, Check.CHECKSUM, Check.RECOVER, Check.BUFFER}
        for step in steps:
            reply: Any = Encoded(data)
            if isinstance(step.request, Decode):
                try:
                    reply = Decoded(to_value(decode_records(step.request.data)))
                except ValueError:
                    reply = Refused("x", "y")
            else:
                assert isinstance(step.request, Encode)
            assert judge_step(LAYOUT, "codec", step, reply) is None, step
        cut = next(step for step in steps if step.check is Check.CUT_OFF and data_bytes(step.request) == 3)
        assert judge_step(LAYOUT, "codec", cut, Decoded({"batches": [], "tail": b""})) is not None
        flipped = next(step for step in steps if step.check is Check.CHECKSUM)
        assert judge_step(LAYOUT, "codec", flipped, Decoded(value)) is not None
