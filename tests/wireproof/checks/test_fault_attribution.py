"""Attribution of a failure to the side at fault, by evidence that the report cites."""

from dataclasses import replace

import pytest

from wireproof.checks import FaultEvidence, judge_fault
from wireproof.model import Crashed, Divergence, Encoded, FaultOwner, Reencoded

BYTES = Divergence("bytes", "theirs", "the bytes differ from Kafka's", "name")
READ = replace(BYTES, check="decode")
KAFKA, OTHER = b"\x00\x01", b"\x00\x02"
OF_STATE = replace(BYTES, check="malformed", kind="state:laxer")
AGREED = FaultEvidence(KAFKA, (KAFKA, KAFKA))
AGAIN = replace(AGREED, again=Reencoded(KAFKA))


@pytest.mark.parametrize(
    ("divergence", "evidence", "whose", "words"),
    [
        (replace(BYTES, erratum="KAFKA-1"), AGREED, FaultOwner.ERRATUM, "KAFKA-1"),
        (replace(BYTES, subject="layout"), FaultEvidence(), FaultOwner.HARNESS, "no codec was asked"),
        (replace(BYTES, subject="oracle"), FaultEvidence(), FaultOwner.ORACLE, "contradict themselves"),
        (replace(BYTES, kind="crashed:protocol"), AGREED, FaultOwner.ADAPTER, "breaks the testee protocol"),
        (replace(READ, kind="crashed:value"), AGREED, FaultOwner.ADAPTER, "is not one of the message"),
        (replace(READ, kind="invalid"), AGREED, FaultOwner.ADAPTER, "is not one of the message"),
        (
            replace(BYTES, kind="crashed:kit.AdapterError"),
            AGREED,
            FaultOwner.ADAPTER,
            "its kit says so",
        ),
        (replace(BYTES, check="claim"), FaultEvidence(), FaultOwner.ADAPTER, "no case bore out"),
        (
            BYTES,
            FaultEvidence(KAFKA, (KAFKA, OTHER)),
            FaultOwner.HARNESS,
            "implementations of wireproof's own codec",
        ),
        (
            BYTES,
            FaultEvidence(KAFKA, (OTHER, OTHER)),
            FaultOwner.HARNESS,
            "own codec does not write Kafka's bytes",
        ),
        (
            replace(BYTES, opinions="SCHEMAS: the codec; 4.3.1: the codec"),
            AGREED,
            FaultOwner.ORACLE,
            "Kafka's class is alone",
        ),
        (
            replace(BYTES, opinions="SCHEMAS: the codec; 4.3.1: Kafka"),
            AGREED,
            FaultOwner.CODEC,
            "alone differs",
        ),
        (READ, AGAIN, FaultOwner.ADAPTER, "so it holds the value"),
        (BYTES, replace(AGAIN, through=Encoded(OTHER)), FaultOwner.ADAPTER, "not by way of the value"),
        (
            BYTES,
            replace(AGAIN, through=Encoded(KAFKA), whole=Encoded(KAFKA)),
            FaultOwner.CODEC,
            "a default of its own differs",
        ),
        (
            BYTES,
            replace(AGAIN, through=Encoded(KAFKA), whole=Encoded(OTHER)),
            FaultOwner.CODEC,
            "it alone differs",
        ),
        (
            replace(BYTES, path="_tags[7]", field=""),
            replace(AGAIN, through=Encoded(KAFKA), whole=Encoded(KAFKA), once_more=Encoded(KAFKA)),
            FaultOwner.CODEC,
            "in the order in which they are given",
        ),
        (
            BYTES,
            replace(AGAIN, through=Encoded(OTHER), once_more=Encoded(KAFKA)),
            FaultOwner.CODEC,
            "depends on what it was asked before",
        ),
        (
            BYTES,
            replace(AGAIN, through=Encoded(KAFKA), once_more=Encoded(KAFKA), sparse=Encoded(OTHER)),
            FaultOwner.CODEC,
            "a default of its own differs",
        ),
        (BYTES, AGREED, FaultOwner.CODEC, "Kafka's bytes and those of wireproof's own codec agree"),
        (
            READ,
            replace(AGREED, again=Crashed("IndexError", "")),
            FaultOwner.CODEC,
            "also where it only reads and writes bytes again",
        ),
        (replace(BYTES, kind="crashed:hang"), AGREED, FaultOwner.CODEC, "as the first of a fresh process"),
        (replace(BYTES, check="size"), replace(AGAIN, whole=Encoded(KAFKA)), FaultOwner.CODEC, "it alone"),
        (replace(BYTES, check="tail"), FaultEvidence(), FaultOwner.CODEC, "Kafka's class was asked the same"),
        (
            OF_STATE,
            FaultEvidence(),
            FaultOwner.CODEC,
            "it is right: its answer depends on what it was asked before; the",
        ),
        (OF_STATE, FaultEvidence(after=("a",)), FaultOwner.CODEC, "asked before, here a"),
        (OF_STATE, FaultEvidence(after=("a", "b", "c")), FaultOwner.CODEC, "here 3 cases from a to c"),
    ],
)
def test_the_evidence_decides(
    divergence: Divergence, evidence: FaultEvidence, whose: FaultOwner, words: str
) -> None:
    """A testee gets one verdict, with the reason."""
    blame = judge_fault(divergence, evidence, foreign=True)
    assert (blame.whose, words in blame.evidence) == (whose, True), blame


@pytest.mark.parametrize(
    ("variants", "words"),
    [
        ((KAFKA, OTHER), "its other implementation agrees with Kafka"),
        ((OTHER, OTHER), "both implementations differ from Kafka"),
        ((KAFKA, KAFKA), "both implementations write Kafka's bytes"),
        ((), "Kafka's class was asked the same"),
    ],
)
def test_our_own_codec_is_judged_by_its_variants(variants: tuple[bytes, ...], words: str) -> None:
    """The codec is at fault and its other variants are the evidence; there is no adapter to blame."""
    blame = judge_fault(replace(BYTES, kind="invalid"), FaultEvidence(KAFKA, variants), foreign=False)
    assert blame.whose is FaultOwner.CODEC
    assert words in blame.evidence
