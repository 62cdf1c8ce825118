"""Attribution of a failure to the side at fault, by evidence that the report cites."""

from dataclasses import replace

import pytest

from wireproof.model.adapter import Crashed, Encoded, Reencoded
from wireproof.model.divergence import Divergence, FaultOwner
from wireproof.proof.checks.fault_attribution import FaultEvidence, judge_fault

BYTES = Divergence("bytes", "theirs", "the bytes differ from Kafka's", "name")
READ = replace(BYTES, check="decode")
KAFKA, OTHER = b"\x00\x01", b"\x00\x02"
OF_STATE = replace(BYTES, check="malformed", kind="state:laxer")
AGREED = FaultEvidence(KAFKA, (KAFKA, KAFKA))
AGAIN = replace(AGREED, again=Reencoded(KAFKA))
OTHERWISE = replace(AGREED, again=Reencoded(OTHER))
LAX = replace(BYTES, check="malformed", kind="laxer:count-null")


@pytest.mark.parametrize(
    ("divergence", "evidence", "whose", "words"),
    [
        (replace(BYTES, erratum="KAFKA-1"), AGREED, FaultOwner.ERRATUM, "KAFKA-1"),
        (replace(BYTES, subject="layout"), FaultEvidence(), FaultOwner.HARNESS, "no codec was asked"),
        (replace(BYTES, subject="oracle"), FaultEvidence(), FaultOwner.ORACLE, "contradict themselves"),
        (replace(BYTES, kind="crashed:protocol"), AGREED, FaultOwner.ADAPTER, "breaks the testee protocol"),
        (
            replace(READ, kind="crashed:value"),
            AGREED,
            FaultOwner.CODEC_OR_ADAPTER,
            "is not one of the message",
        ),
        (replace(READ, kind="invalid"), AGREED, FaultOwner.CODEC_OR_ADAPTER, "is not one of the message"),
        (
            replace(BYTES, kind="crashed:kit.AdapterError", codec="size of X is requested, but not claimed"),
            AGREED,
            FaultOwner.ADAPTER,
            "its kit says so",
        ),
        (
            replace(BYTES, kind="crashed:kit.AdapterError", codec="write returned a NoneType"),
            AGREED,
            FaultOwner.CODEC_OR_ADAPTER,
            "its stack trace names the side",
        ),
        (replace(BYTES, check="claim"), FaultEvidence(), FaultOwner.CODEC_OR_ADAPTER, "no case bore out"),
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
            FaultOwner.CODEC_OR_ADAPTER,
            "alone differs; look at the codec's own object for the value",
        ),
        (READ, AGAIN, FaultOwner.CODEC_OR_ADAPTER, "as they were, and reports another value"),
        (
            BYTES,
            replace(AGAIN, whole=Encoded(OTHER)),
            FaultOwner.CODEC_OR_ADAPTER,
            "writes the value otherwise",
        ),
        (
            BYTES,
            replace(AGAIN, whole=Encoded(KAFKA), sparse=Encoded(OTHER)),
            FaultOwner.CODEC_OR_ADAPTER,
            "a default differs from Kafka's",
        ),
        (
            replace(BYTES, path="_tags[7]", field=""),
            replace(AGAIN, whole=Encoded(KAFKA), sparse=Encoded(KAFKA)),
            FaultOwner.CODEC,
            "in the order in which they are given",
        ),
        (
            BYTES,
            replace(AGAIN, whole=Encoded(KAFKA), sparse=Encoded(KAFKA)),
            FaultOwner.CODEC_OR_ADAPTER,
            "depends on what it was asked before",
        ),
        (
            BYTES,
            AGREED,
            FaultOwner.CODEC_OR_ADAPTER,
            "Kafka's bytes and those of wireproof's own codec agree",
        ),
        (BYTES, replace(OTHERWISE, read_right=True), FaultOwner.CODEC, "also where it only reads and writes"),
        (BYTES, replace(OTHERWISE, whole=Encoded(OTHER)), FaultOwner.CODEC, "also where it only reads and"),
        (BYTES, OTHERWISE, FaultOwner.CODEC_OR_ADAPTER, "it alone differs; look at"),
        (READ, replace(OTHERWISE, whole=Encoded(KAFKA)), FaultOwner.CODEC, "also where it only reads and"),
        (
            READ,
            replace(OTHERWISE, whole=Encoded(OTHER)),
            FaultOwner.CODEC_OR_ADAPTER,
            "it alone differs; look",
        ),
        (
            replace(READ, kind="crashed:IndexError"),
            replace(AGREED, again=Crashed("IndexError", "")),
            FaultOwner.CODEC_OR_ADAPTER,
            "its stack trace names the side that raised the error",
        ),
        (replace(READ, kind="refused:Short"), AGREED, FaultOwner.CODEC, "before its adapter has a value"),
        (
            replace(BYTES, check="encode", kind="refused:Short"),
            AGREED,
            FaultOwner.CODEC_OR_ADAPTER,
            "it alone differs; look at",
        ),
        (replace(LAX, oracle="refused while it would read: X"), AGREED, FaultOwner.CODEC, "Kafka refuses"),
        (replace(LAX, oracle="reads 2 of 3 bytes"), AGREED, FaultOwner.CODEC_OR_ADAPTER, "alone differs"),
        (replace(BYTES, kind="crashed:hang"), AGREED, FaultOwner.CODEC_OR_ADAPTER, "as the first of a fresh"),
        (
            replace(BYTES, check="size"),
            replace(AGAIN, whole=Encoded(KAFKA)),
            FaultOwner.CODEC_OR_ADAPTER,
            "it alone",
        ),
        (
            replace(BYTES, check="tail"),
            FaultEvidence(),
            FaultOwner.CODEC_OR_ADAPTER,
            "Kafka's class was asked the same",
        ),
        (
            OF_STATE,
            FaultEvidence(),
            FaultOwner.CODEC_OR_ADAPTER,
            "it is right: its answer depends on what it was asked before; the",
        ),
        (OF_STATE, FaultEvidence(after=("a",)), FaultOwner.CODEC_OR_ADAPTER, "asked before, here a"),
        (
            OF_STATE,
            FaultEvidence(after=("a", "b", "c")),
            FaultOwner.CODEC_OR_ADAPTER,
            "here 3 cases from a to c",
        ),
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
