"""Record sets as text and as named bytes."""

import pytest

from kafkawire.errors import DecodeError
from kafkawire.records import (
    Compression,
    Record,
    RecordBatch,
    annotate_records,
    encode_records,
    records_from_json,
    records_to_json,
)
from wireproof.strategies import record_cases

CASES = list(record_cases())


def test_json_loses_nothing() -> None:
    """Each case comes back from its text as it was."""
    for case in CASES:
        assert records_from_json(records_to_json(case.records)) == case.records, case.name


def test_json_leaves_defaults_out() -> None:
    """What a person reads is short; bytes are hex, a null is null."""
    batch = RecordBatch.of([Record(0, 0, None, b"\xff")], compression=Compression.LZ4)
    assert records_to_json(type(CASES[0].records)((batch,))) == (
        '{"batches":[{"kind":"batch","records":[{"value":"ff"}],"compression":"lz4","base_timestamp":0,'
        '"max_timestamp":0}]}'
    )


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"batches":[{"kind":"x"}]}', '{"batches":[{"kind":"set"}]}']
)
def test_other_text_is_refused(text: str) -> None:
    """With the one error of the codec."""
    with pytest.raises(DecodeError):
        records_from_json(text)


def test_every_byte_has_a_name() -> None:
    """The spans of whole batches lie behind each other from the first byte to the last."""
    for case in CASES:
        data = encode_records(case.records)
        annotation = annotate_records(data)
        ends = [0, *(span.end for span in annotation.spans)]
        assert [span.start for span in annotation.spans] == ends[:-1], case.name
        whole = len(data) - len(case.records.tail)
        assert annotation.end >= whole, case.name
        assert (annotation.stopped is None) == (not case.records.tail), case.name


def test_names_of_bytes() -> None:
    """The fields in Kafka's words, down to a header of a record."""
    (case,) = (case for case in CASES if case.name == "v2/none/headers-null")
    data = encode_records(case.records)
    paths = [span.path for span in annotate_records(data).spans]
    assert paths[:5] == [
        f"batches[0].{name}" for name in ("baseOffset", "batchLength", "partitionLeaderEpoch", "magic", "crc")
    ]
    assert "batches[0].records[1].headers[0].value" in paths


@pytest.mark.parametrize("size", [5, 16, 20, 61, 63])
def test_cut_off(size: int) -> None:
    """It stops where the bytes stop, and says so."""
    data = encode_records((RecordBatch.of([Record(0, 0, b"k", b"v")]),))[:size]
    annotation = annotate_records(data)
    assert annotation.stopped is not None
    assert annotation.end <= size
