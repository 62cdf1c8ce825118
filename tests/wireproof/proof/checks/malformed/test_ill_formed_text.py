"""Text that is not UTF-8 may be read to any number of U+FFFD or surrogates; every other character counts."""

import pytest

from kafkawire.canonical import canonical
from tests.support.environments import small_environment
from wireproof.model.malformed_input import Answer, DecodeOutcome, MalformedVerdict, Mutation
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject, judge_malformed
from wireproof.proof.run.core.environment import Layouts

LAYOUT = Layouts({small_environment.RELEASE: small_environment.schemas()}).of(
    small_environment.cell("PingRequest", 3)
)
TEXT = Mutation("text=surrogate", "name", 0, b"\x02x", b"\x04\xed\xa0\x80")
LENGTH = Mutation("length=one-more", "name", 0, b"\x02x", b"\x03x")
SUBJECT = MalformedSubject("codec", small_environment.RELEASE, LAYOUT)


def binary(name: str) -> bytes:
    return canonical(LAYOUT).to_binary({"name": name, "count": 5, "hops": [2, 1], "note": "x"})


@pytest.mark.parametrize(
    ("mutation", "ours", "agrees"),
    [
        (TEXT, "a\ufffd\ufffd\ufffdb", True),
        (TEXT, "a\ufffdb", True),
        (TEXT, "a\ufffd", False),
        (TEXT, "ab", False),
        (TEXT, "a\ufffdc", False),
        (LENGTH, "a\ufffd\ufffdb", False),
    ],
)
def test_only_the_replacement_of_ill_formed_text_is_free(mutation: Mutation, ours: str, agrees: bool) -> None:
    """Kafka reads one U+FFFD; other bytes than those of a text leave no such freedom."""
    answer = Answer(DecodeOutcome.ACCEPTED, binary(ours), offset=9)
    judged = judge_malformed(
        SUBJECT, mutation, b"\x04\xed\xa0\x80", answer, OracleValue(b"", 0, 3, binary("a\ufffdb"))
    )
    assert (judged.verdict is MalformedVerdict.DIFFERENT) is not agrees
