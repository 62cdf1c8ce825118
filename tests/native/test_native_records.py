"""Records by the native module: the same as by Python alone, and right ones without its help."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.records import Header, Record, RecordBatch, _record_loop, _record_writing
from kafkawire.records._libraries import native_records
from kafkawire.records._record_loop import UNBOUNDED, decode_record_block
from kafkawire.records._record_writing import encode_record_block
from tests.native.test_native_laws import LAW, outcome
from tests.support.schemas.random_layouts import mutated
from wireproof.proof.strategies.records.record_cases import record_cases
from wireproof.strategies import record_sets

LIMITS = [
    Record(-(2**31), -(2**63), b"", None, (), -128),
    Record(2**31 - 1, 2**63 - 1, None, b"", (Header("", None), Header("é", b"")), 127),
    *(
        Record(n, -n, b"k" * n, b"v" * n, (Header("h" * n, b"x" * n),))
        for n in (1, 62, 63, 64, 65, 8191, 8192)
    ),
    Record(1, 1, b"k", b"v", tuple(Header(str(n), None) for n in range(70))),
]


@contextmanager
def python_alone() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (_record_loop, _record_writing):
            patch.setattr(module, "native_records", lambda: None)
        yield


def both(call: Any, *arguments: Any) -> tuple[Any, Any]:
    """Return the outcome with the native module, and that without it."""
    found = outcome(call, *arguments)
    with python_alone():
        return found, outcome(call, *arguments)


def assert_alone(records: tuple[Record, ...]) -> None:
    """The native module writes and reads the records without help."""
    with python_alone():
        block = encode_record_block(records)
    assert native_records().write(records) == native_records().write(list(records)) == block
    read: list[Record] = []
    left = UNBOUNDED - len(records) - sum(len(record.headers) for record in records)
    assert native_records().read(b"x" + block + b"y", 1, 1 + len(block), len(records), UNBOUNDED, read) == (
        1 + len(block),
        left,
    )
    assert tuple(read) == records
    fewer: list[Record] = []
    native_records().read(block, 0, len(block), len(records) - 1, UNBOUNDED, fewer)
    assert tuple(fewer) == records[:-1]
    assert {type(each) for record in read for each in (record, *record.headers)} <= {Record, Header}


def test_right_records_need_no_python() -> None:
    """Records at the limits of their varints, alone and together, and those of every named case."""
    assert_alone(())
    for record in LIMITS:
        assert_alone((record,))
        block, read = encode_record_block([record]), list[Record]()
        room = max(1, len(record.headers))
        native_records().read(block, 0, len(block), 1, room, read)
        assert read == [record]
    assert_alone(tuple(LIMITS))
    batches = [batch for case in record_cases() for batch in case.records.batches]
    assert sum(isinstance(batch, RecordBatch) for batch in batches) > 100
    for batch in batches:
        if isinstance(batch, RecordBatch):
            assert_alone(batch.records)


@LAW
@given(st.data())
def test_they_read_the_same(data: st.DataObject) -> None:
    """Whole blocks and changed ones, with room for all records and headers or for some."""
    drawn = data.draw(record_sets(magics=[2], unused_bits=True).filter(lambda each: each.batches))
    batch = drawn.batches[0]
    assert isinstance(batch, RecordBatch)
    block = data.draw(mutated(encode_record_block(batch.records)))
    count = len(batch.records) + data.draw(st.integers(-1, 1))
    room = data.draw(st.sampled_from([UNBOUNDED, 0, 1, 2, 3, 5]))
    found, expected = both(decode_record_block, block, 0, len(block), max(count, 0), room)
    assert found == expected


WRONG: list[Any] = [
    [Record(2**31)],
    [Record(-(2**31) - 1)],
    [Record(0, 2**63)],
    [Record(0, 0, b"", b"", (), 128)],
    [Record(0, 0, "text")],  # type: ignore[arg-type]
    [Record(0, 0, b"", b"", [Header("a")])],  # type: ignore[arg-type]
    [Record(0, 0, b"", b"", (Header(None),))],  # type: ignore[arg-type]
    [Record(0, 0, b"", b"", (Header("\ud800"),))],
    [Record(0, 0, b"", b"", (("a", b""),))],  # type: ignore[arg-type]
    [Record(), (0, 0, b"", b"", (), 0)],
    [Record(True, 0, bytearray(b"k"), memoryview(b"v"), [], 0)],  # type: ignore[arg-type]
    {Record()},
    None,
]


@pytest.mark.parametrize("records", WRONG, ids=range(len(WRONG)))
def test_they_answer_unusual_records_the_same(records: Any) -> None:
    """The native writer refuses a wrong value with the same text, and writes an unusual one."""
    found, expected = both(encode_record_block, records)
    assert found == expected


ODD_BLOCKS = """
00
01
0e 00 00 00 00 00 00 00
0c 00 00 00 01 01 00
0c 00 00 00 03 01 00
0c 00 00 00 01 03 00
0c 00 00 00 01 01 01
10 00 00 00 01 01 02 01 01
12 00 00 00 01 01 02 02 ff 01
8c 00 00 00 00 01 01 00
fe ff ff ff 0f 00
80 80 80 80 10 00
80 80 80 80 80 00
14 00 80 80 80 80 00 00 01 01 00
1e 00 ff ff ff ff ff ff ff ff ff 01 00 01 01 00
1e 00 ff ff ff ff ff ff ff ff ff 02 00 01 01 00
"""


@pytest.mark.parametrize("block", ODD_BLOCKS.strip().splitlines())
def test_they_answer_unusual_bytes_the_same(block: str) -> None:
    """Lengths, nulls, counts and varints that are wrong or longer than need be."""
    data = bytes.fromhex(block)
    found, expected = both(decode_record_block, data, 0, len(data), 1, 3)
    assert found == expected
