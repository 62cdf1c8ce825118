"""Kafka's laxities, each shown on its witness, in every line."""

import pytest

from kafka_classes import LINES, kafka
from kafkawire.compiler import compile_layout
from kafkawire.errors import DecodeError
from kafkawire.records import decode_records
from wireproof.checks import LAXITIES, Laxity
from wireproof.model import OracleReply
from wireproof.model.oracle import OracleValue


def ask(version: str, laxity: Laxity) -> tuple[OracleReply, DecodeError | None]:
    """What Kafka and our codec make of the witness."""
    witness, release = laxity.witness, kafka(version)
    data = bytes.fromhex(witness.data)
    try:
        if witness.message == "RecordBatch":
            reply = release.oracle.read_records([data])[0]
            decode_records(data)
        else:
            cell, layout = release.cell(witness.message, witness.version)
            reply = release.oracle.read(cell, layout, [data])[0]
            compile_layout(layout).decode(data)
    except DecodeError as error:
        return reply, error
    return reply, None


@pytest.mark.parametrize("laxity", LAXITIES, ids=lambda laxity: laxity.name)
def test_kafka_reads_the_witness_and_we_do_not(laxity: Laxity) -> None:
    """Every line from the first on reads it, but those where that is gone; our codec refuses it."""
    lax = []
    for version in LINES:
        if line_of(version) >= line_of(laxity.first):
            reply, error = ask(version, laxity)
            assert error is not None
            assert str(error.fault) in laxity.explains
            if isinstance(reply, OracleValue):
                lax.append(version)
    gone = [version for version in LINES if version.rpartition(".")[0] in laxity.gone]
    since = [version for version in LINES if line_of(version) >= line_of(laxity.first)]
    assert sorted(lax) == sorted(set(since) - set(gone))


def line_of(version: str) -> tuple[int, int]:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)
