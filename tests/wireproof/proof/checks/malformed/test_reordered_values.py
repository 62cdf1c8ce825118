"""A codec that sorts elements, on malformed bytes that Kafka reads: the bytes are not the cause of the
order."""

import pytest

from kafkawire.canonical import canonical
from tests.support.environments import small_environment
from wireproof.model.malformed_input import Answer, DecodeOutcome, Mutation
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject, judge_malformed
from wireproof.proof.run.core.environment import Layouts

LAYOUT = Layouts({small_environment.RELEASE: small_environment.schemas()}).of(
    small_environment.cell("PingRequest", 3)
)
MUTATION = Mutation("text=lone-continuation", "name", 0, b"\x02x", b"\x02\x80")
SUBJECT = MalformedSubject("codec", small_environment.RELEASE, LAYOUT)
VALUE = {"name": "\ufffd", "count": 5, "hops": [2, 1], "note": "x"}


def binary(**other: object) -> bytes:
    return canonical(LAYOUT).to_binary({**VALUE, **other})


@pytest.mark.parametrize(
    ("value", "outcome", "path", "kind"),
    [
        ({"hops": [1, 2]}, DecodeOutcome.ACCEPTED, "hops", "reordered"),
        ({"hops": [1, 2], "note": "y"}, DecodeOutcome.ACCEPTED, "note", "different:text-invalid"),
        ({"hops": [1, 3]}, DecodeOutcome.ACCEPTED, "hops[0]", "different:text-invalid"),
        ({"hops": [1, 2]}, DecodeOutcome.STOPPED, "hops", "stopped-early:text-invalid"),
    ],
)
def test_the_order_is_a_separate_kind_and_hides_no_other_difference(
    value: dict, outcome: DecodeOutcome, path: str, kind: str
) -> None:
    """One ledger entry explains the order; a text that is read wrongly stays a finding."""
    answer = Answer(outcome, binary(**value), offset=9)

    judged = judge_malformed(SUBJECT, MUTATION, b"\x02\x80", answer, OracleValue(b"", 0, 9, binary()))
    assert judged.fails
    assert judged.divergence is not None
    assert (judged.divergence.path, judged.divergence.kind) == (path, kind)
