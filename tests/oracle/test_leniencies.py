"""Kafka's leniencies, each shown by its witness in every release; and the lenient reader, which explains by
them."""

from dataclasses import replace

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import DecodeError
from kafkawire.records import decode_records
from tests.support.oracles.kafka_classes import LINES, kafka
from wireproof.model.kafka.releases import release_line
from wireproof.model.oracle import OracleFrame, OracleReply, OracleValue, Refusal
from wireproof.proof.checks.known_defects.leniencies import (
    LENIENCIES,
    Leniency,
    LeniencyWitness,
    known_leniencies,
)
from wireproof.proof.checks.malformed.lenient_reader import read_frame_leniently, read_leniently
from wireproof.proof.strategies.layout_source import LayoutSource

RECORD_SETS = "RecordBatch"
OF_MESSAGES = [leniency for leniency in LENIENCIES if leniency.witness.message != RECORD_SETS]


def witness_of(version: str, leniency: Leniency) -> LeniencyWitness:
    """Return the witness for this release."""
    return leniency.early.get(version.rpartition(".")[0], leniency.witness)


def ask(version: str, leniency: Leniency) -> tuple[OracleReply, DecodeError | None]:
    """Return the answers of Kafka and our codec to the witness."""
    witness, release = witness_of(version, leniency), kafka(version)
    data = bytes.fromhex(witness.data)
    try:
        if witness.message == RECORD_SETS:
            reply = release.oracle.read_records([data])[0]
            decode_records(data)
        else:
            cell, layout = release.cell(witness.message, witness.version)
            reply = release.oracle.read(cell, layout, [data])[0]
            compile_layout(layout).decode(data)
    except DecodeError as error:
        return reply, error
    return reply, None


@pytest.mark.parametrize("leniency", LENIENCIES, ids=lambda leniency: leniency.name)
def test_kafka_reads_the_witness_and_we_do_not(leniency: Leniency) -> None:
    """Every release from the first on reads it, except those without the leniency.

    Our codec refuses it by one of the named faults; without a named fault it reads the witness too.
    """
    lax = []
    for version in LINES:
        if release_line(version) >= release_line(leniency.first):
            reply, error = ask(version, leniency)
            if leniency.explains:
                assert error is not None
                assert str(error.fault) in leniency.explains
            else:
                assert error is None
            if isinstance(reply, OracleValue):
                lax.append(version)
    gone = [version for version in LINES if version.rpartition(".")[0] in leniency.gone]
    since = [version for version in LINES if release_line(version) >= release_line(leniency.first)]
    assert sorted(lax) == sorted(set(since) - set(gone))
    assert lax == [version for version in LINES if leniency.holds(version)]


@pytest.mark.parametrize("leniency", OF_MESSAGES, ids=lambda leniency: leniency.name)
def test_a_witness_shows_its_leniency_alone(leniency: Leniency) -> None:
    """The lenient reader needs exactly this leniency to read Kafka's value; without it, it refuses."""
    for version in (version for version in LINES if leniency.holds(version)):
        witness = witness_of(version, leniency)
        cell, layout = kafka(version).cell(witness.message, witness.version)
        data = bytes.fromhex(witness.data)
        (reply,) = kafka(version).oracle.read(cell, layout, [data])
        assert isinstance(reply, OracleValue)
        reading = read_leniently(layout, data, known_leniencies(version))
        assert reading is not None
        assert reading.leniencies == {leniency.name}
        assert (reading.value, reading.consumed_bytes) == (reply.value, reply.consumed_bytes)
        if leniency.name != "trailing-bytes":
            assert read_leniently(layout, data, known_leniencies(version) - {leniency.name}) is None


@pytest.mark.parametrize("release", ["4.4.0", "4.3.1", "2.8.2"])
@pytest.mark.parametrize(
    ("message", "version"),
    [("FetchRequest", 12), ("ApiVersionsResponse", 3), ("MetadataRequest", 4), ("JoinGroupRequest", 5)],
)
def test_the_lenient_reader_reads_as_kafka(release: str, message: str, version: int) -> None:
    """For every mutation of two instances Kafka refuses too, or reads as many bytes to the same value."""
    cell, layout = kafka(release).cell(message, version)
    source, oracle, known = LayoutSource(lambda cell: ""), kafka(release).oracle, known_leniencies(release)
    cases = {case.name: case for case in source.enumerated(cell, layout)}
    tried = 0
    for name in ("message/default", "message/fullest"):
        binary = canonical(layout).to_binary(cases[name].value)
        (base,) = oracle.write(cell, layout, [binary])
        assert isinstance(base, OracleValue)
        changed = [each.apply(base.written) for each in source.mutations(layout, base.written)]
        for data, reply in zip(changed, oracle.read(cell, layout, changed), strict=True):
            reading = read_leniently(layout, data, known)
            if isinstance(reply, Refusal):
                assert reading is None, (data.hex(), reply)
            else:
                assert reading is not None, data.hex()
                assert (reading.value, reading.consumed_bytes) == (reply.value, reply.consumed_bytes)
        tried += len(changed)
    assert tried > 50


@pytest.mark.parametrize("release", ["4.4.0", "2.8.2"])
@pytest.mark.parametrize(("message", "version"), [("ApiVersionsRequest", 3), ("MetadataResponse", 1)])
def test_the_lenient_reader_reads_frames_as_kafka(release: str, message: str, version: int) -> None:
    """The same holds for frames: their size, and the contents of the header."""
    cell, layout = kafka(release).cell(message, version)
    source, oracle, known = LayoutSource(lambda cell: ""), kafka(release).oracle, known_leniencies(release)
    number = oracle.header_versions(cell)
    assert number is not None
    headers = kafka(release).headers("RequestHeader" if message.endswith("Request") else "ResponseHeader")
    header = compile_layout(headers[number]).encode({"correlationId": 7})
    body = compile_layout(layout).encode({})
    frame = (len(header) + len(body)).to_bytes(4) + header + body
    changes = source.frame_mutations(headers, replace(layout, header_version=number), header, body)
    changed = [each.apply(frame) for each in changes]
    read = 0
    for data, reply in zip(changed, oracle.read_frames(cell, layout, headers, changed), strict=True):
        reading = read_frame_leniently(headers[number], layout, data, known)
        if isinstance(reply, OracleFrame):
            read += 1
            assert reading is not None, data.hex()
            assert reading.value == reply.header + reply.body
            assert reading.consumed_bytes == reply.consumed_bytes
        else:
            assert reading is None, (data.hex(), reply)
    assert 0 < read < len(changed)
