"""The tables of the report, compared with facts about the captures from other sources."""

import re
from collections import Counter
from pathlib import Path

from pyspark.sql import functions as f

from tests.pipeline.small_jobs import RELEASE
from wireproof.pipeline.job.spark_job import Job, RowCounts
from wireproof.pipeline.runtime.release_cache import header_of, layout_of, schemas_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.report.disagreements_table import causes
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter

NUMBERS = re.compile(r"(\[\])?int(16|32|64)$")
Sample = tuple[RowCounts, Job, Path]


def test_coverage_has_every_cell_of_the_release(sample: Sample) -> None:
    """Those that no frame is of as well; all frames and entries are in it."""
    accounts, job, _ = sample
    rows = list(job.tables["coverage"].toLocalIterator())
    every = {(spec.name, version) for _, spec in schemas_of(RELEASE) for version in spec.valid_versions}
    assert {(row.message, row.version) for row in rows} == {
        each for each in every if not each[0].endswith("Header")
    }
    assert sum(row.frames for row in rows if row.kind in c.FRAMED) == accounts.frames
    assert sum(row.fingerprints for row in rows if row.kind in c.FRAMED) == accounts.fingerprints
    assert sum(row.entries for row in rows) == accounts.entries
    assert {row.provenance for row in rows} == {None, "captured", "broker-accepted"}
    assert all((row.provenance is None) == (row.frames == 0) == (row.classes_met == 0) for row in rows)


def test_messages_inside_frames_are_counted(sample: Sample) -> None:
    """Messages inside others' frames have frames, bytes and classes of their own."""
    rows = sample[1].tables["coverage"].where(~f.col("kind").isin(*c.FRAMED) & (f.col("frames") > 0))
    found = {row.message: row.frames for row in rows.toLocalIterator()}
    assert found.keys() == {"ConsumerProtocolSubscription", "ConsumerProtocolAssignment"}
    inner = sample[1].tables["candidates"].where("inner > 0 and reason is null").count()
    assert 0 < inner == rows.agg(f.sum("frames")).first()[0]  # type: ignore[index]  # an aggregate has a row


def test_classes_are_those_of_the_fingerprints(sample: Sample) -> None:
    """Each class has as many frames as the fingerprints that have its bit, and coverage counts those met."""
    _, job, _ = sample
    cell = (RELEASE, "clients", "MetadataResponse", 12, "captured")
    chosen = " and ".join(f"{name} = '{value}'" for name, value in zip(c.CELL_NAMES, cell, strict=True))
    expected: Counter[str] = Counter()
    layout = layout_of(RELEASE, "MetadataResponse", 12)
    prints = Fingerprinter(header_of(RELEASE, layout), layout)
    for row in job.tables["fingerprints"].where(chosen).toLocalIterator():
        for name in prints.class_names(Fingerprint.from_bytes(row["fingerprint"]).bits):
            expected[name] += row.frames
    rows = list(job.tables["classes"].where(chosen).toLocalIterator())
    assert {f"{row['field']}/{row['class']}": row.frames for row in rows if row.frames} == expected
    assert {(row["field"], row["class"]) for row in rows if row.reachable} == {
        (point.path, point.name) for point, reachable in prints.classes if reachable
    }
    (row,) = job.tables["coverage"].where(chosen).toLocalIterator()
    assert (row.classes_met, row.classes) == (len(expected), len(rows))


def test_what_a_frame_can_meet_is_not_what_codecs_refuse(sample: Sample) -> None:
    """No class was met that cannot be, and none is asked for that no frame has."""
    classes = sample[1].tables["classes"]
    assert classes.where("frames > 0 and not reachable").count() == 0
    assert classes.where("reachable and (class like 'refused%' or class = 'at-default')").count() == 0


def test_clients_have_all_frames_and_their_errors(sample: Sample) -> None:
    """Requests and answers add up to all frames; an answer counts as an error by a code other than 0."""
    accounts, job, _ = sample
    rows = list(job.tables["clients"].toLocalIterator())
    assert sum(row.requests + row.answers for row in rows) == accounts.frames
    size = job.tables["readings"].agg(f.sum("size_bytes")).first()[0]  # type: ignore[index]  # it has a row
    assert sum(row.request_bytes + row.answer_bytes for row in rows) == size
    assert all((row.error_answers > 0) == bool(row.errors) for row in rows)
    assert all(row.error_answers <= row.answers for row in rows)
    assert not any(code.endswith("/0") for row in rows for code in row.errors)
    (refused,) = (row for row in rows if row.client == "" and row.api == "SaslAuthenticate")
    assert (refused.listener, refused.errors) == ("SASL", ["errorCode/58"])


def test_disagreements_are_grouped_by_cause(odd: tuple[RowCounts, Job]) -> None:
    """They add up to all divergences, and each is one line."""
    rows = list(odd[1].tables["disagreements"].toLocalIterator())
    assert sum(row.frames for row in rows) == odd[0].divergences == 3
    assert {(row.message, row.path): row.versions for row in rows} == {
        ("MetadataRequest", ""): [8],
        ("MetadataResponse", ""): [8],
        ("ProduceRequest", "topicData"): [9],
    }
    lines = list(causes(odd[1].tables["disagreements"]))
    assert any(line.startswith("ProduceRequest 9 at topicData: written otherwise by both") for line in lines)


def test_sizes_add_up_to_the_frames(sample: Sample, odd: tuple[RowCounts, Job]) -> None:
    """Cell by cell: fields, headers and the sizes before frames, and unread frames whole."""
    for job in (sample[1], odd[1]):
        readings = job.tables["readings"].groupBy("message", "version").agg(f.count("*"), f.sum("size_bytes"))
        sizes = job.tables["sizes"].groupBy("message", "version").agg(f.max("frames"), f.sum("bytes"))
        assert sorted(map(tuple, sizes.toLocalIterator())) == sorted(map(tuple, readings.toLocalIterator()))
    unread = odd[1].tables["sizes"].where("part = 'unread'")
    assert {(row.message, row["values"]) for row in unread.toLocalIterator()} == {
        ("MetadataRequest", 1),
        ("MetadataResponse", 1),
        ("ProduceRequest", 1),
    }


def test_sizes_by_hand(odd: tuple[RowCounts, Job]) -> None:
    """The one answer to a Metadata request: its fields, and what KIP-625 would make of its numbers."""
    rows = odd[1].tables["sizes"].where("message = 'MetadataResponse' and part in ('size', 'header', 'body')")
    found = {row.field: row for row in rows.toLocalIterator()}
    assert (found[""].bytes, found["header.correlationId"].bytes) == (4, 4)
    port = found["brokers[].port"]
    assert (port.type, port["values"], port.bytes, port.encoding) == ("int32", 1, 4, "upacked32")
    host = found["brokers[].host"]
    assert (host.type, host.bytes, host.fixed_bytes, host.encoding) == ("string", 2 + len("host"), None, None)
    operations = found["clusterAuthorizedOperations"]
    assert (operations.unsigned_bytes, operations.encoding, operations.saved_bytes) == (5, "fixed32", 0)


def test_what_is_saved_is_by_the_shortest_encoding(sample: Sample) -> None:
    """Of numbers that KIP-625 speaks of; the best is never longer than what it is now."""
    rows = [row for row in sample[1].tables["sizes"].toLocalIterator() if row.part in ("header", "body")]
    assert all((row.encoding is not None) == bool(NUMBERS.match(row.type or "")) for row in rows)
    for row in rows:
        if row.encoding is not None:
            sizes = {"fixed": row.fixed_bytes, "upacked": row.unsigned_bytes, "packed": row.signed_bytes}
            assert sizes[row.encoding.rstrip("0123456789")] == min(sizes.values())
            assert row.saved_bytes == row.fixed_bytes - min(sizes.values()) >= 0
