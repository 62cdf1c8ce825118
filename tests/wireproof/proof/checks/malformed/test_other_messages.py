"""A frame whose header names another message: a codec may choose the message by it, as a broker does."""

import pytest

from tests.support.environments import small_environment
from wireproof.model.malformed_input import Answer, DecodeOutcome, MalformedVerdict, Mutation
from wireproof.model.oracle import OracleFrame
from wireproof.proof.checks.known_defects.leniencies import MORE_LENIENCIES
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject, judge_malformed
from wireproof.proof.run.core.environment import Layouts

CELL = small_environment.cell("PingRequest", 3)
LAYOUTS = Layouts({small_environment.RELEASE: small_environment.schemas()})
HEADER = LAYOUTS.headers(CELL)[2]
SUBJECT = MalformedSubject("codec", small_environment.RELEASE, LAYOUTS.of(CELL), HEADER)
IDENTITY = Mutation("identity=zero", "header.requestApiKey", 4, b"\x00\x01", b"\x00\x00")
LENGTH = Mutation("header-length=one-more", "header.clientId", 12, b"\x00\x01", b"\x00\x02")
FRAME = bytes.fromhex("0000001300000003000000070000000000000500000000")


@pytest.mark.parametrize(
    ("mutation", "outcome", "verdict", "leniency"),
    [
        (IDENTITY, DecodeOutcome.REFUSED, MalformedVerdict.STRICTER, "other-message"),
        (IDENTITY, DecodeOutcome.CRASHED, MalformedVerdict.CRASH, ""),
        (LENGTH, DecodeOutcome.REFUSED, MalformedVerdict.STRICTER, ""),
    ],
)
def test_only_a_refusal_is_free(
    mutation: Mutation, outcome: DecodeOutcome, verdict: MalformedVerdict, leniency: str
) -> None:
    """A codec that crashes or hangs is wrong whatever the header names."""
    read = OracleFrame(2, b"", b"", b"", len(FRAME))
    judged = judge_malformed(SUBJECT, mutation, FRAME, Answer(outcome, error="Error"), read)
    assert judged.verdict is verdict
    assert (judged.leniency.name if judged.leniency else "") == leniency
    assert (judged.divergence is None) is bool(leniency)


def test_its_witness_is_a_frame() -> None:
    """It holds a MetadataRequest, whose api key is 3; its header says 4."""
    (other,) = [each for each in MORE_LENIENCIES if each.name == "other-message"]
    data = bytes.fromhex(other.witness.data)
    assert int.from_bytes(data[:4]) == len(data) - 4
    assert int.from_bytes(data[4:6]) != 3
