"""Known Kafka bugs explain divergences of Kafka's own classes under test, by release, and no others."""

from dataclasses import replace

import pytest

from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.known_defects.kafka_bugs import explain_own_bugs

KNOWN = [
    (Divergence(Check.COPY, "kafka", "", "topics[0]._tags", kind="tags-lost"), "DUPLICATE-TAGS"),
    (Divergence(Check.REFUSAL, "kafka", "", "_tags", kind="accepted"), "TAG-DEFINED"),
    (Divergence(Check.VERSIONS, "kafka", "", kind="accepted"), "VERSION-UNCHECKED"),
]
NOT_WRITTEN = Divergence(Check.ENCODE, "kafka", "", kind="refused:BufferOverflowException")
UNWRITABLE = Divergence(Check.ENCODE, "oracle", "", erratum="KAFKA-18199")


@pytest.mark.parametrize(("divergence", "witness"), KNOWN, ids=[witness for _, witness in KNOWN])
def test_a_known_bug_is_excused(divergence: Divergence, witness: str) -> None:
    """The divergence is excused by Kafka's own issue number."""
    assert explain_own_bugs("4.4.0", (divergence,), "kafka") == (replace(divergence, erratum=witness),)


@pytest.mark.parametrize(
    "divergence",
    [
        Divergence(Check.COPY, "kafka", "", "topics", kind="differs"),
        Divergence(Check.REFUSAL, "kafka", "", "topics", kind="accepted"),
        Divergence(Check.BYTES, "kafka", "", "_tags", kind="tags-lost"),
        Divergence(Check.VERSIONS, "kafka", "", kind="crashed:process"),
        NOT_WRITTEN,
    ],
)
def test_anything_else_is_a_finding(divergence: Divergence) -> None:
    """A known bug explains only its own check, kind and field."""
    assert explain_own_bugs("4.4.0", (divergence,), "kafka") == (divergence,)


def test_a_value_that_both_refuse_is_excused_in_releases_with_the_bug() -> None:
    """KAFKA-18199 was fixed in 3.9.1, so a class of a later release has no excuse."""
    assert [each.erratum for each in explain_own_bugs("3.8.1", (UNWRITABLE, NOT_WRITTEN), "kafka")] == [
        "KAFKA-18199"
    ] * 2
    assert explain_own_bugs("3.9.2", (UNWRITABLE, NOT_WRITTEN), "kafka") == (UNWRITABLE, NOT_WRITTEN)


@pytest.mark.parametrize(
    ("oracle", "witness"),
    [
        ("refused while it would read: OutOfMemoryError: Requested array size", "SNAPPY-LENGTH"),
        ("refused", ""),
    ],
)
def test_exhausted_memory_on_both_sides_is_a_known_bug(oracle: str, witness: str) -> None:
    """A class that runs out of memory for the same bytes as the oracle behaves like Kafka."""
    crash = Divergence(Check.MALFORMED, "kafka", "", kind="crashed:java.lang.OutOfMemoryError", oracle=oracle)
    (explained,) = explain_own_bugs("4.4.0", (crash,), "kafka")
    assert explained.erratum == witness
