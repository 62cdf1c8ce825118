"""The adapter of record sets turns everything that a codec does into a reply."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from kafkawire.records import (
    Compression,
    MissingLibraryError,
    RecordBatch,
    RecordSet,
    decode_records,
    encode_records,
    record_set_layout,
    to_value,
)
from kafkawire.wire.buffers import Buffer
from wireproof.model.adapter import (
    Crashed,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Refused,
    Reply,
    Request,
    Size,
    Sized,
)
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.oracle import OracleError
from wireproof.proof.adapters.own.record_adapter import RecordCodec, RecordsAdapter
from wireproof.proof.strategies.records.record_cases import record_cases

CELL = Cell("1.0.0", RECORDS_MODULE, "RecordBatch", 2)
CASES = {case.name: case.records for case in record_cases()}
PLAIN = CASES["v2/none/plain"]
VALUE = to_value(PLAIN)
DATA = encode_records(PLAIN)


def ask(request: Request, codec: RecordCodec | None = None) -> Reply:
    (reply,) = RecordsAdapter("test", codec).ask(CELL, record_set_layout(2), [request])
    return reply


def test_questions_and_answers() -> None:
    """Bytes, size and value are answered, also from the middle of a buffer that is overwritten later."""
    assert ask(Encode(VALUE)) == Encoded(DATA)
    assert ask(Size(VALUE)) == Sized(len(DATA))
    assert ask(Decode(DATA)) == ask(Decode(DATA, b"before", b"after")) == Decoded(VALUE)


def test_refusals_are_replies() -> None:
    """A refusal has its fault, path and offset."""
    reply = ask(Decode(DATA[:-1] + b"\x7f"))
    assert isinstance(reply, Refused)
    assert (reply.error, reply.path, reply.offset) == ("crc-mismatch", "batches[0].crc", 17)
    assert isinstance(ask(Encode({"batches": [{"magic": 7, "compression": 1}]})), Refused)


def test_crashes_are_replies() -> None:
    """Any exception of a codec is a crash."""

    def crash(data: Any) -> Any:
        raise ZeroDivisionError("at work")

    assert ask(Decode(DATA), RecordCodec(decode=crash)) == Crashed("ZeroDivisionError", "at work")
    assert ask(Encode(VALUE), RecordCodec(encode=crash)) == Crashed("ZeroDivisionError", "at work")


def test_a_codec_that_keeps_views_is_reported() -> None:
    """Its values change with the buffer that they were read from."""

    def keep(data: Buffer) -> RecordSet:
        (batch,) = decode_records(data).batches
        assert isinstance(batch, RecordBatch)
        view: Any = memoryview(data)[-2:-1]
        return RecordSet((replace(batch, records=(batch.records[0]._replace(value=view),)),))

    found = []
    for around in (b"", b"x"):
        reply = ask(Decode(DATA, around, around), RecordCodec(decode=keep))
        assert isinstance(reply, Decoded)
        found.append(bytes(reply.value["batches"][0]["records"][0]["value"]))
    assert found == [b"v", b"\xa5"]


def test_a_missing_library_gives_no_verdict() -> None:
    """The codec under test did nothing wrong."""

    def without(codec: Compression, data: bytes, magic: int) -> bytes:
        raise MissingLibraryError("snappy needs cramjam")

    packed = to_value(CASES["v2/snappy/plain"])
    with pytest.raises(OracleError, match="cramjam"):
        ask(Encode(packed), RecordCodec(encode=partial(encode_records, compress=without)))
