"""Findings of `wireproof schema check`, held against the classes of both releases."""

from itertools import pairwise

import pytest

from tests.support.oracles.kafka_classes import LINES, Kafka, kafka
from wireproof.definitions.evolution.break_example import BreakExample
from wireproof.definitions.evolution.evolution_check import check_releases
from wireproof.model.oracle import OracleReply, OracleValue, Refusal


def answers(release: Kafka, message: str, version: int, example: BreakExample) -> OracleReply:
    cell, layout = release.cell(message, version)
    return release.oracle.reread(cell, layout, [example.data])[0]


@pytest.mark.parametrize(("before", "after"), list(pairwise(reversed(LINES))))
def test_kafkas_classes_misread_each_example_of_a_break(before: str, after: str) -> None:
    """The classes of the writer's release read the example and write it again; those of the other release
    refuse it, or read another value."""
    older, newer = kafka(before), kafka(after)
    for found in check_releases(older.schemas, newer.schemas):
        if not found.impact.breaks:
            continue
        for example, writer, reader in ((found.to_old, newer, older), (found.to_new, older, newer)):
            if example is None:
                continue
            version = found.versions.lowest
            own = answers(writer, found.message, version, example)
            assert isinstance(own, OracleValue), (found, own)
            assert own.written == example.data, found
            other = answers(reader, found.message, version, example)
            same = isinstance(other, OracleValue) and other.written == example.data
            assert isinstance(other, Refusal) or not same or other.value != own.value, (found, other)


def test_there_are_breaks_to_ask_about() -> None:
    """3.6 changed stable versions of records, so that the test above asks something."""
    found = check_releases(kafka("3.5.2").schemas, kafka("3.6.2").schemas)
    assert sum(each.to_old is not None for each in found if each.impact.breaks) == 15
