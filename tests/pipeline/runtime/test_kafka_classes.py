"""Kafka's classes as functions of columns: held against the corpus and our codec, and against bad bytes."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.sql.functions import col

from kafkawire.canonical import canonical
from kafkawire.records import Record, RecordBatch, decode_records, encode_records, to_canonical
from kafkawire.schema import MessageLayout, SchemaSet, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import EMBEDDED_MODULE, RECORDS_MODULE
from wireproof.model.oracle import Refusal
from wireproof.pipeline.runtime.kafka_classes import OK, UNKNOWN_CELL, KafkaClasses
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, MalformedEntry, Tree
from wireproof.traffic.corpus.corpus_folder import open_set

CORPUS = Path(__file__).parents[3] / "corpus"
COLUMNS = "release string, module string, message string, version short, header_version short, data binary"
RELEASES = ("4.3.1", "3.9.2")
VERSIONS_REQUEST = "000000170012000300000007000474657374000574657374023100"
"""An ApiVersions request, version 3, of a client ``test``: size, header version 2, body of 8 bytes."""


@cache
def schemas(release: str) -> SchemaSet:
    return load_snapshot(table().find(release))


def golden(release: str) -> list[GoldenEntry]:
    """Every golden entry of a release that is of a class: record sets are of none."""
    parts = [part for _, part in open_set(CORPUS / "golden" / release).parts()]
    of_classes = [part for part in parts if part.head.module != RECORDS_MODULE]
    return [entry for part in of_classes for entry in part.entries if isinstance(entry, GoldenEntry)]


def located(cell: str) -> tuple[str, str, MessageLayout]:
    """Release, module and layout of a cell."""
    release, message, version = cell.split("/")
    module, spec = schemas(release).find(message)
    return release, module, resolve(spec, int(version))


def row_of(cell: str, data: bytes | None, *, framed: bool = True) -> tuple[Any, ...]:
    """A row of the table that is asked about."""
    release, module, layout = located(cell)
    return release, module, layout.name, layout.version, layout.header_version if framed else None, data


def header_layout(layout: MessageLayout, release: str) -> MessageLayout:
    assert layout.header_version is not None
    name = "RequestHeader" if layout.name.endswith("Request") else "ResponseHeader"
    return resolve(schemas(release).find(name)[1], layout.header_version)


def ask(
    spark: SparkSession, classes: KafkaClasses, rows: Sequence[tuple[Any, ...]], *, whole: bool = False
) -> list[Row]:
    """Return the answers of the classes to each row, in order."""
    numbered = spark.createDataFrame(
        [(place, *row) for place, row in enumerate(rows)], f"place int, {COLUMNS}"
    )
    names = ("release", "module", "message", "version", "header_version", "data")
    answer = classes.reframe(*map(col, names), whole=whole)
    answers = numbered.repartition(2).select("place", answer.alias("answer")).orderBy("place").collect()
    return [row.answer for row in answers]


def test_every_frame_of_the_corpus(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """Two releases in one job: each frame and body comes back byte for byte, with the value that we have."""
    entries = [entry for release in RELEASES for entry in golden(release)]
    assert len(entries) > 4000
    rows = [row_of(entry.cell, entry.frame, framed=bool(entry.head)) for entry in entries]
    for entry, answer in zip(entries, ask(spark, kafka_classes, rows), strict=True):
        assert answer.status == OK, (entry.cell, entry.name, answer)
        assert answer.consumed == answer.size == len(entry.frame), entry.cell
        assert answer.written_sha256 == hashlib.sha256(entry.frame).digest(), entry.cell
        assert answer.value_sha256 == hashlib.sha256(value_of(entry.cell, entry.value, entry.header)).digest()


def value_of(cell: str, value: Tree, header: Tree | None) -> bytes:
    """The canonical binary of the header, followed by that of the body."""
    release, _, layout = located(cell)
    body = canonical(layout)
    binary = body.to_binary(body.from_tree(value))
    if header is None:
        return binary
    head = canonical(header_layout(layout, release))
    return head.to_binary(head.from_tree(header)) + binary


def test_whole_answers_have_bytes_and_values(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """Rows that disagree get the bytes and values whose digests differ."""
    frame = bytes.fromhex(VERSIONS_REQUEST)
    (answer,) = ask(spark, kafka_classes, [row_of("4.3.1/ApiVersionsRequest/3", frame)], whole=True)
    _, _, layout = located("4.3.1/ApiVersionsRequest/3")
    header = canonical(header_layout(layout, "4.3.1")).from_binary(answer.header)
    value = canonical(layout).from_binary(answer.value)
    assert (header["clientId"], value["clientSoftwareVersion"]) == ("test", "1")
    assert bytes(answer.written) == frame
    assert hashlib.sha256(bytes(answer.header + answer.value)).digest() == answer.value_sha256


def test_a_body_alone(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """Without a header version the bytes are a body: a record of a log, or a request without its frame."""
    body = bytes.fromhex(VERSIONS_REQUEST)[-8:]
    answers = ask(
        spark,
        kafka_classes,
        [
            row_of("4.3.1/ApiVersionsRequest/3", body, framed=False),
            ("4.3.1", "transaction-coordinator", "TransactionLogKey", 0, None, b"\0\2id"),
        ],
        whole=True,
    )
    assert [answer.status for answer in answers] == [OK, OK]
    assert [answer.size for answer in answers] == [8, 4]
    assert [answer.header for answer in answers] == [None, None]
    assert bytes(answers[1].value) == b"\0\0\0\2id"


def test_bytes_that_are_no_message(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """Each is a status with Kafka's own words; the other rows are answered all the same."""
    frame = bytes.fromhex(VERSIONS_REQUEST)
    cell = "4.3.1/ApiVersionsRequest/3"
    rows = [
        row_of(cell, frame[:-1]),
        row_of(cell, b""),
        row_of(cell, b"\x7f\xff\xff\xff" + frame[4:]),
        row_of(cell, hashlib.sha512(b"garbage").digest()),
        row_of(cell, frame),
    ]
    answers = ask(spark, kafka_classes, rows)
    assert [answer.status for answer in answers] == ["read", "read", "read", "read", OK]
    assert [answer.error_class for answer in answers[:3]] == [
        "InvalidFrameException",
        "BufferUnderflowException",
        "InvalidFrameException",
    ]
    assert answers[0].error_message == "a size of 23 before 22 bytes"
    assert (answers[0].size, answers[0].written_sha256, answers[0].value_sha256) == (None, None, None)


def test_wrong_bytes_of_the_corpus(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """Each is refused where and as the oracle refused, or accepted with the value that the oracle read.

    Those of protocols that Kafka writes by hand are left out: there is no class of them.
    """
    parts = [part for _, part in open_set(CORPUS / "malformed" / "4.3.1").parts()]
    every = [entry for part in parts if part.head.module != EMBEDDED_MODULE for entry in part.entries]
    entries = [entry for entry in every if isinstance(entry, MalformedEntry)]
    assert len(entries) > 10_000
    rows = [row_of(entry.cell, entry.data, framed=entry.framed) for entry in entries]
    for entry, answer in zip(entries, ask(spark, kafka_classes, rows), strict=True):
        assert answer.consumed == entry.verdict.consumed_bytes
        if isinstance(entry.verdict, Refusal):
            assert (answer.status, answer.error_class) == (entry.verdict.stage, entry.verdict.error)
        else:
            value = value_of(entry.cell, entry.verdict.value, entry.verdict.header)
            assert answer.value_sha256 == hashlib.sha256(value).digest(), entry


def test_what_is_read_and_cannot_be_written(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """Kafka reads a tag twice and does not write it: the answer has the value, and the stage that failed."""
    twice = bytes.fromhex(VERSIONS_REQUEST)[-8:-1] + bytes.fromhex("0209000900")
    (answer,) = ask(spark, kafka_classes, [row_of("4.3.1/ApiVersionsRequest/3", twice, framed=False)])
    assert (answer.status, answer.error_class, answer.written_sha256) == ("write", "RuntimeException", None)
    assert (answer.consumed, answer.size) == (len(twice), len(twice))
    assert answer.value_sha256 is not None


def test_what_the_classes_do_not_know(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """A release, module, message, version or header that is not there is a status, and not a failed job."""
    frame = bytes.fromhex(VERSIONS_REQUEST)
    rows = [
        ("1.0.0", "clients", "ApiVersionsRequest", 3, 2, frame),
        ("4.3.1", "metadata", "ApiVersionsRequest", 3, 2, frame),
        ("4.3.1", "clients", "NoRequest", 3, 2, frame),
        ("4.3.1", "clients", "ApiVersionsRequest", 99, 2, frame),
        ("4.3.1", "clients", "ApiVersionsRequest", -1, 2, frame),
        ("4.3.1", "clients", "ApiVersionsRequest", 3, 1, frame),
        ("4.3.1", "clients", "RequestHeader", 2, 2, frame),
        ("4.3.1", None, "ApiVersionsRequest", 3, 2, frame),
        ("4.3.1", "clients", "ApiVersionsRequest", 3, 2, None),
        ("4.3.1", "clients", "ApiVersionsRequest", 3, 2, frame),
    ]
    answers = ask(spark, kafka_classes, rows)
    assert [answer.status for answer in answers] == [UNKNOWN_CELL] * 9 + [OK]
    assert [answer.error_message for answer in answers[:9]] == [
        "no release 1.0.0 was shipped; there are: [3.9.2, 4.3.1]",
        "4.3.1 has no message ApiVersionsRequest in a module metadata",
        "4.3.1 has no message NoRequest in a module clients",
        "4.3.1 has no version 99 of ApiVersionsRequest",
        "4.3.1 has no version -1 of ApiVersionsRequest",
        "4.3.1 sends ApiVersionsRequest 3 with header version 2, not with header version 1",
        "4.3.1 sends RequestHeader 2 without a header, not with header version 2",
        "a row without a module, a message, a version or bytes",
        "a row without a module, a message, a version or bytes",
    ]
    assert {answer.consumed for answer in answers[:9]} == {None}


def test_record_sets(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """MemoryRecords reads what we wrote as we read it, and refuses a set whose checksum is wrong."""
    good = encode_records([RecordBatch(records=(Record(key=b"key", value=b"value"),))])
    spoiled = bytes([*good[:-1], good[-1] ^ 1])
    rows = [("4.3.1", good), ("3.9.2", good), ("4.3.1", spoiled), ("4.3.1", None), ("1.0.0", good)]
    table_of_sets = spark.createDataFrame(rows, "release string, records binary")
    answer = kafka_classes.read_records(col("release"), col("records"), whole=True)
    answers = [row.answer for row in table_of_sets.select(answer.alias("answer")).collect()]
    assert [each.status for each in answers] == [OK, OK, "read", UNKNOWN_CELL, UNKNOWN_CELL]
    assert bytes(answers[0].value) == to_canonical(decode_records(good))
    assert answers[2].error_class == "CorruptRecordException"


def test_in_sql(spark: SparkSession, kafka_classes: KafkaClasses) -> None:
    """The functions have names, for those who write SQL."""
    assert kafka_classes.releases == RELEASES
    row = spark.sql(
        "SELECT wireproof_reframe('4.3.1', 'clients', 'ApiVersionsRequest', 3, 2, "
        f"unhex('{VERSIONS_REQUEST}')) AS answer"
    ).first()
    assert row is not None
    assert (row.answer.status, row.answer.size) == (OK, 27)
