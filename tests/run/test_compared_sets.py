"""Agreement groups for a record set, by the answers of each implementation."""

from dataclasses import replace

from kafkawire.canonical import canonical
from kafkawire.records import (
    Compression,
    Record,
    RecordBatch,
    RecordSet,
    encode_records,
    record_set_layout,
    to_canonical,
    to_value,
)
from wireproof.model.adapter import Crashed, Decoded, Encoded, Reencoded, Refused, Reply, Unsupported
from wireproof.model.agreement import AgreementGroup, CellComparison, CodecTask
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.values.record_set import RecordEvidence
from wireproof.proof.run.comparing.answer_comparison import Comparison
from wireproof.proof.run.comparing.compared_messages import PACKS, compare_sets

CELL = Cell("1.0.0", RECORDS_MODULE, "RecordBatch", 2)
BATCH = RecordBatch.of((Record(0, 0, b"k", b"v"),))
PLAIN = RecordSet((BATCH,), b"")
PACKED = RecordSet((replace(BATCH, compression=Compression.GZIP),), b"")
OTHER = RecordSet((RecordBatch.of((Record(0, 0, b"k", b"w"),)),), b"")


def by_kafka(records: RecordSet) -> OracleValue:
    data = encode_records(records)
    return OracleValue(
        value=to_canonical(records), written=data, consumed_bytes=len(data), predicted_bytes=len(data)
    )


def evidence(name: str, records: RecordSet, encoded: Reply | None, read: Reply | None) -> RecordEvidence:
    """Return the answers of a codec that wrote other bytes than Kafka, or none, and read Kafka's bytes."""
    data = encoded.data if isinstance(encoded, Encoded) else None
    return RecordEvidence(
        layout=record_set_layout(2),
        subject=name,
        records=records,
        expected=canonical(record_set_layout(2)).to_binary(to_value(records)),
        view=to_canonical(records),
        data=data,
        encoded=encoded,
        sized=None,
        decoded=read,
        reread=None if data is None else by_kafka(records),
        made=((by_kafka(records), read),),
    )


def compared(*seen: RecordEvidence) -> CellComparison:
    comparison = Comparison(CELL, [each.subject for each in seen])
    made = [reply for reply, _ in seen[0].made]
    compare_sets(comparison, "a case", [(each, ()) for each in seen], made)
    return comparison.result()


def value(records: RecordSet) -> Decoded:
    return Decoded(to_value(records))


def test_an_implementation_that_agrees_with_kafka_is_in_its_group() -> None:
    """An implementation that differs is in the group against them, by its answer; one that cannot be asked is
    in no group."""
    data = Encoded(encode_records(PLAIN))
    result = compared(
        evidence("right", PLAIN, data, value(PLAIN)),
        evidence("wrong", PLAIN, Encoded(encode_records(OTHER)), value(OTHER)),
        evidence("strict", PLAIN, Refused("no", "", "", None), Crashed("hang", "")),
        evidence("small", PLAIN, Unsupported("limit", ""), Unsupported("limit", "")),
    )
    assert result.cases == {CodecTask.ENCODE: 1, CodecTask.DECODE: 1}
    writing, reading = result.disagreements
    assert writing.groups == (
        AgreementGroup(("Kafka", "right"), "writes"),
        AgreementGroup(("strict",), "refuses"),
        AgreementGroup(("wrong",), "writes"),
    )  # fmt: skip
    assert reading.groups == (
        AgreementGroup(("Kafka", "right"), "reads"),
        AgreementGroup(("strict",), "hangs"),
        AgreementGroup(("wrong",), "reads"),
    )  # fmt: skip


def test_compressed_bytes_count_by_what_kafka_reads_in_them() -> None:
    """Other bytes with the same content are not a disagreement."""
    bytes_of_another = Encoded(encode_records(PACKED) + b"")
    theirs = evidence("theirs", PACKED, replace(bytes_of_another, data=b"other bytes"), value(PACKED))
    assert compared(theirs).disagreements == ()
    lost = replace(theirs, reread=by_kafka(OTHER))
    (kind,) = compared(lost).disagreements
    assert kind.groups == (AgreementGroup(("Kafka",), PACKS), AgreementGroup(("theirs",), PACKS))


def test_reading_and_writing_again_is_reading() -> None:
    """The same bytes mean the same value; other bytes are reported."""
    data = encode_records(PLAIN)
    same = evidence("same", PLAIN, None, Reencoded(data))
    assert compared(same).disagreements == ()
    (kind,) = compared(evidence("other", PLAIN, None, Reencoded(b""))).disagreements
    assert kind.groups[1] == AgreementGroup(("other",), "reads, and writes otherwise")


def test_a_set_that_only_the_codecs_wrote_is_not_compared() -> None:
    """Kafka has no answer to compare them with; all implementations read the bytes of a foreign writer."""
    lone = replace(evidence("lone", PLAIN, Encoded(encode_records(PLAIN)), value(PLAIN)), made=())
    assert compared(lone).cases == {}
    foreign = replace(lone, encoded=None, decoded=value(OTHER))
    assert compared(foreign).cases == {CodecTask.DECODE: 1}
    assert len(compared(foreign).disagreements) == 1
