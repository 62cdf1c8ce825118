"""No variation leaves the protocol: Kafka's own classes read each varied answer to its end."""

from random import Random

import pytest

from tests.support.capture.broker_answers import RELEASE, answers
from tests.support.oracles.kafka_classes import kafka
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleFrame, Refusal
from wireproof.traffic.capture.variations.answer import FETCH, Family, Variation
from wireproof.traffic.capture.variations.variation_table import CATALOGUE

CHANGES = [each for each in CATALOGUE if each.change is not None]
ANSWERS = list(answers())


@pytest.mark.parametrize("variation", CHANGES, ids=lambda each: each.id)
def test_kafka_reads_each_varied_answer(variation: Variation) -> None:
    """All answers of the golden corpus, with several seeds."""
    oracle, headers = kafka(RELEASE).oracle, kafka(RELEASE).headers("ResponseHeader")
    varied = 0
    for number, (answer, frame) in enumerate(ANSWERS):
        assert variation.change is not None
        changed = variation.change(answer, Random(number))
        if changed is None or (data := changed.encode()) == frame:
            continue
        varied += 1
        layout = changed.layout
        cell = Cell(RELEASE, "clients", layout.name, layout.version)
        (reply,) = oracle.read_frames(cell, layout, headers, [data])
        assert isinstance(reply, OracleFrame), (answer.layout.name, answer.version, reply)
        assert reply.consumed_bytes == len(data)
    assert varied


@pytest.mark.parametrize(
    "variation", [each for each in CHANGES if each.family is Family.RECORDS], ids=lambda each: each.id
)
def test_kafka_reads_each_varied_record_set(variation: Variation) -> None:
    """Kafka's own readers read the record sets of all Fetch answers of the golden corpus to their end."""
    sets = []
    for number, (answer, _) in enumerate(ANSWERS):
        assert variation.change is not None
        changed = variation.change(answer, Random(number)) if answer.api_key == FETCH else None
        for topic in changed.body["responses"] if changed else ():
            sets += [each["records"] for each in topic["partitions"] if each["records"]]
    assert len(sets) > 20
    refused = [reply for reply in kafka(RELEASE).oracle.read_records(sets) if isinstance(reply, Refusal)]
    before = [
        each["records"]
        for answer, _ in ANSWERS
        if answer.api_key == FETCH
        for topic in answer.body["responses"]
        for each in topic["partitions"]
        if each["records"]
    ]
    unvaried = [reply for reply in kafka(RELEASE).oracle.read_records(before) if isinstance(reply, Refusal)]
    assert len(refused) == len(unvaried)
